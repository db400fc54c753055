"""Our dealer deals, allows and pays what OpenSpiel's repeated_leduc_poker does."""

from __future__ import annotations

import random

import pyspiel

from games.leduc_dealer import deal_hands, play_hands
from games.leduc_tree import ENDINGS, HIDDEN, NEXT, NODES, PAYOFF, info_code
from games.table import Seating

CONTINUE = 3


def test_tree_has_the_betting_nodes_and_endings_of_leduc() -> None:
    assert len(NODES) == 36
    assert len(ENDINGS) == 49
    states = {(i, r) for i, n in enumerate(NODES) for r in range(3 if n.round == 0 else 9)}
    assert len(states) == 288


def compare_episode(hands: int, rng: random.Random) -> int:
    """Walk our tables beside OpenSpiel's state through random play; decisions compared."""
    state = pyspiel.load_game(f"repeated_leduc_poker(num_hands={hands})").new_initial_state()
    total = decisions = 0
    for _ in range(hands):
        cards = rng.sample(range(6), 3)
        for card in cards[:2]:
            assert card in [outcome for outcome, _ in state.chance_outcomes()]
            state.apply_action(card)
        node = 0
        public_dealt = False
        while node >= 0:
            here = NODES[node]
            if here.round == 1 and not public_dealt:
                outcomes = dict(state.chance_outcomes())
                assert set(outcomes) == set(range(6)) - set(cards[:2])
                state.apply_action(cards[2])
                public_dealt = True
            assert state.current_player() == here.player
            assert tuple(state.legal_actions()) == here.legal
            text = state.information_state_string(here.player)
            assert f"[Private: {cards[here.player]}]" in text
            assert f"[Pot: {sum(here.bets)}]" in text
            assert f"[Money: {100 - here.bets[0]} {100 - here.bets[1]}]" in text
            index = rng.randrange(len(here.legal))
            state.apply_action(here.legal[index])
            node = NEXT[node][index]
            decisions += 1
        ranks = [card // 2 for card in cards]
        payoff = PAYOFF[-1 - node][ranks[0] * 9 + ranks[1] * 3 + ranks[2]]
        total += payoff
        assert (state.current_player(), state.legal_actions()) == (0, [CONTINUE])
        assert state.rewards() == [payoff, 0]
        state.apply_action(CONTINUE)
        assert state.legal_actions() == [CONTINUE]
        assert state.rewards() == [0, -payoff]
        state.apply_action(CONTINUE)
    assert state.is_terminal()
    assert state.returns() == [total, -total]
    return decisions


def test_forty_thousand_random_decisions_agree_with_openspiel() -> None:
    rng = random.Random(5)
    decisions = 0
    while decisions < 40_000:
        decisions += compare_episode(100, rng)
    assert decisions >= 40_000


def test_deals_are_fair_and_depend_on_the_seed_alone() -> None:
    assert deal_hands(3, 100) == deal_hands(3, 100)
    assert deal_hands(3, 100) != deal_hands(4, 100)
    hands = [deal for seed in range(60) for deal in deal_hands(seed, 100)]
    paired = sum(first == second for first, second, _ in hands)
    assert abs(paired / len(hands) - 1 / 5) < 0.02
    assert not any(first == second == public for first, second, public in hands)


class Script:
    """A side that always gives the same reply index, and keeps what it was told."""

    def __init__(self, reply: int) -> None:
        self.reply = reply
        self.told: list[tuple[int, int, int]] = []
        self.count = 0

    def send(self, message: bytes, decisions: int) -> None:
        numbers = memoryview(message).cast("H").tolist()
        self.told += list(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))
        self.count = decisions

    def receive(self) -> bytes:
        return bytes([self.reply & 255]) * self.count

    def violate(self, reply: int) -> int:
        return -6


def test_a_forfeit_checks_when_that_is_free_and_folds_when_not() -> None:
    # Seat 0 raises (index 1 at the root), seat 1 forfeits: it faces a bet, so it folds every hand.
    raiser, broken = Script(1), Script(-1)
    outcome = play_hands(Seating((raiser, broken), [1, 2]), 10, reveal_always=False)
    assert outcome.payoffs == [10.0, 10.0]
    assert outcome.forfeits == ({}, {-1: 20})
    # Both forfeit: everything is checked down to the showdown.
    outcome = play_hands(Seating((Script(-2), Script(-2)), [1]), 10, reveal_always=False)
    assert outcome.decisions == 40
    assert outcome.forfeits == ({-2: 20}, {-2: 20})


def test_a_reply_beyond_the_legal_actions_is_a_violation() -> None:
    # At the root two actions are legal, so index 2 names none of them.
    outcome = play_hands(Seating((Script(2), Script(1)), [1]), 1, reveal_always=False)
    assert outcome.forfeits[0] == {-6: outcome.forfeits[0][-6]}


def test_folded_hands_hide_the_opponents_card_unless_the_parameter_reveals_it() -> None:
    def last_told(reveal: bool) -> list[int]:
        raiser, folder = Script(1), Script(0)
        play_hands(Seating((raiser, folder), [1]), 5, reveal_always=reveal)
        return [finished for _, finished, _ in raiser.told if finished != 65535]

    cards = [deal[1] for deal in deal_hands(1, 5)][:4]
    assert [code // 4 % 4 for code in last_told(False)] == [HIDDEN] * 4
    assert [code // 4 % 4 for code in last_told(True)] == cards


def test_information_states_have_distinct_numbers() -> None:
    codes = {
        info_code(i, rank, public)
        for i, node in enumerate(NODES)
        for rank in range(3)
        for public in ((HIDDEN,) if node.round == 0 else range(3))
    }
    assert len(codes) == 288
