"""Which runs a choice matters for, by their oracle and writer."""

from __future__ import annotations

from csro_web.runs.forms.group import when
from oracles.config import BASELINES, OracleName, WriterName

PROPOSERS = [oracle for oracle in OracleName if oracle not in BASELINES]
PROPOSED = when(oracle=PROPOSERS)
"""Somebody proposes programs."""
LOOPED = when(oracle=[*PROPOSERS, OracleName.IMPALA])
"""A population grows by best responses."""
SAMPLED = when(oracle=[one for one in OracleName if one is not OracleName.LLM_AGENT])
"""Policies meet all held-out opponents; the agent has its own numbers for that."""
ASKED = (
    *when(oracle=PROPOSERS, writer=[WriterName.LLM]),
    *when(oracle=[OracleName.LLM_AGENT]),
)
"""Language models are asked."""
PROMPTED = when(oracle=PROPOSERS, writer=[WriterName.LLM, WriterName.MANUAL])
"""Prompts are read, by a model or by a person."""
EVOLVED = when(oracle=[OracleName.ALPHA_EVOLVE])
COUNTED = when(oracle=[OracleName.ALPHA_EVOLVE, OracleName.BEST_OF_N])
"""``proposals`` says how many programs are proposed."""
REFINED = when(oracle=[OracleName.LINEAR_REFINEMENT])
RECORDED = when(oracle=PROPOSERS, writer=[WriterName.REPLAY])
