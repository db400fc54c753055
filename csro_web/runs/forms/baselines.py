"""What only the baselines use."""

from __future__ import annotations

from django import forms

from csro_web.runs.forms.group import FieldGroup, number, when, whole
from oracles.config import OracleName


def _make() -> dict[str, forms.Field]:
    return {
        "cfr_iterations": whole(1, 1_000_000, "Iterations of CFR+"),
        "agent_turns": whole(
            1, 100_000, "Turns asked per episode", "What is not asked is not played,"
        ),
        "agent_opponents": whole(
            1, 1_000, "Opponents met", "Drawn from the held-out population; at most all of them,"
        ),
        "agent_episodes": whole(1, 1_000, "Episodes against each"),
        "impala_frames": whole(
            1_000, 10**9, "Training decisions", "Of the learner, per best response,"
        ),
        "impala_hidden": whole(8, 256, "LSTM units"),
        "impala_learning_rate": forms.FloatField(
            min_value=1e-7,
            max_value=1,
            label="Learning rate",
            required=False,
            help_text="0.0000001 to 1.",
        ),
        "impala_entropy": number(0, 10, "Entropy bonus"),
        "impala_unroll": whole(2, 1_000, "Steps of one update"),
        "impala_environments": whole(1, 1_024, "Episodes side by side"),
    }


def _only(oracle: OracleName, *names: str) -> dict[str, tuple[dict[str, frozenset[str]], ...]]:
    return {name: when(oracle=[oracle]) for name in names}


GROUP = FieldGroup(
    name="baselines",
    title="Baseline",
    words="For the baselines CFR+, LLM agent and PSRO-IMPALA.",
    make=_make,
    needed=True,
    plain=(
        *("cfr_iterations", "agent.turns", "agent.opponents", "agent.episodes"),
        *("impala.frames", "impala.hidden", "impala.learning_rate"),
        *("impala.entropy", "impala.unroll", "impala.environments"),
    ),
    when=when(oracle=[OracleName.CFR, OracleName.IMPALA, OracleName.LLM_AGENT]),
    field_when={
        **_only(OracleName.CFR, "cfr_iterations"),
        **_only(OracleName.LLM_AGENT, "agent_turns", "agent_opponents", "agent_episodes"),
        **_only(OracleName.IMPALA, "impala_frames", "impala_hidden", "impala_learning_rate"),
        **_only(OracleName.IMPALA, "impala_entropy", "impala_unroll", "impala_environments"),
    },
)
