"""The 43 RoShamBo bots by name, with a line on each.

They were entered in, or written as dummies for, the First International RoShamBo Programming
Competition (Billings 1999) and ship with OpenSpiel. The order is OpenSpiel's.
"""

from __future__ import annotations

SUMMARIES: dict[str, str] = {
    "actr_lag2_decay": "Cognitive model: recalls what followed the last two throws; memory decays.",
    "adddriftbot2": "Adds both players' last throws and a number that drifts with time.",
    "addshiftbot3": "Adds both players' last throws and a number that shifts when it loses.",
    "antiflatbot": "Beats opponents that keep their throw counts even.",
    "antirotnbot": "Beats opponents that rotate their throws by a fixed step.",
    "biopic": "Ensemble of predictors over both histories, weighted by recent success.",
    "boom": "Several statistical predictors with defences against being predicted.",
    "copybot": "Throws what beats the opponent's last throw.",
    "debruijn81": "A fixed de Bruijn sequence: every block of four throws appears once.",
    "driftbot": "Biased throws whose bias drifts with time.",
    "flatbot3": "Keeps its own throw counts even, with some noise.",
    "foxtrotbot": "Alternates random throws with a step from its own earlier throw.",
    "freqbot2": "Beats the opponent's most frequent throw.",
    "granite": "Frequency and history statistics; kin to marble.",
    "greenberg": "Iocaine's heir: many predictors and meta-strategies; the strongest here.",
    "halbot": "Markov statistics over several context lengths with weighting by age.",
    "inocencio": "Looks for frequency and pattern weaknesses and switches to them when sure.",
    "iocainebot": "Iocaine Powder, winner of 1999: predictors with meta-strategies.",
    "marble": "Frequency and history statistics; kin to granite.",
    "markov5": "Predicts from the frequencies of what followed the last throws (Markov).",
    "markovbails": "Markov prediction that bails out to random play when it loses.",
    "mixed_strategy": "Mixes several simple strategies by their success.",
    "mod1bot": "Models the opponent at one level: predicts from his reaction to both last throws.",
    "multibot": "Follows whichever of several simple strategies would have done best.",
    "peterbot": "Looks for simple habits of the opponent and falls back on random play.",
    "phasenbott": "Iocaine-like predictors with long history matching and changes of phase.",
    "pibot": "Plays the digits of pi.",
    "piedra": "Predicts by history matching and limits its losses.",
    "predbot": "Predicts the opponent's throw from joint contexts and beats it.",
    "r226bot": "Random with fixed odds: 20 % Rock, 20 % Paper, 60 % Scissors.",
    "randbot": "Uniform random: the equilibrium strategy.",
    "robertot": "Voting over several contexts of both players' last throws.",
    "rockbot": "Always Rock.",
    "rotatebot": "Rock, Paper, Scissors in turn, for ever.",
    "russrocker4": "Counts contexts of several lengths and trusts those that proved themselves.",
    "shofar": "Keeps a pool of strategies and plays those that did well lately.",
    "sunCrazybot": "Random in changing, uneven ways.",
    "sunNervebot": "Simulated nervous system: activation and fatigue decide the throw.",
    "sweetrock": "Statistical prediction that hedges when unsure.",
    "switchalot": "Random, but rarely repeats its own last throw.",
    "switchbot": "Random, but never repeats its own last throw.",
    "textbot": "Plays a fixed text read as throws.",
    "zq_move": "Weighs several predictors of the opponent's next move by their record.",
}

DETERMINISTIC = frozenset(
    ("copybot", "debruijn81", "freqbot2", "multibot", "pibot", "rockbot", "rotatebot", "textbot")
)
"""Bots that never draw."""
