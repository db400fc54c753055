"""Building blocks of Leduc programs as Python source; each comment holds the reason."""

from __future__ import annotations

FIRST_STEPS = """
    def act(self, obs):
        for hand in obs["past_hands"][self.hands_studied:]:
            self.study(hand)
        # Leave the table only when a balanced opponent would hardly have played like this.
        if {proof} > PROOF:
            return self.best_answer(obs)
        return self.balanced_play(obs)
"""

STUDY = '''
    def study(self, hand):
        """Count what the opponent did in a finished hand and weigh it as evidence."""
        self.hands_studied += 1
{fade}        for situation, action in self.opponent_actions(hand["betting"]):
            seen = self.habits[situation]
            self.evidence += surprise(seen[action] / sum(seen), situation, action)
{suspect}            seen[action] += 1
{showdown}'''

FADE = """        # An opponent that learns changes its habits, so old hands slowly stop counting.
        self.evidence = max(-1.0, self.evidence * FADING)
        for seen in self.habits.values():
            for action in (FOLD, CALL, RAISE):
                seen[action] = max(0.05, seen[action] * FADING)
"""

SUSPECT_STEP = """            for name, profile in SUSPECTS.items():
                share = profile[PROFILE_ROW[situation[1]]][action]
                self.suspicion[name] += surprise(share, situation, action)
"""

SHOWDOWN_STEP = """        if hand["opponent_card"] >= 0:
            self.weigh_showdown(hand)
"""

WEIGH_SHOWDOWN = '''
    def weigh_showdown(self, hand):
        """How strong were the hands behind the raises that were shown?"""
        for (stage, _), action in self.opponent_actions(hand["betting"]):
            if action == RAISE:
                order = WEAKEST_FIRST[hand["public_card"] if stage == 2 else UNSEEN]
                self.raises_shown += 1
                self.strength_shown += order.index(hand["opponent_card"]) / 2

    def honesty(self):
        """1 when raises always show the best hand, 0 when they say nothing about it."""
        return min(1.0, max(0.0, 2 * self.strength_shown / self.raises_shown - 1))
'''

OPPONENT_ACTIONS = '''
    def opponent_actions(self, betting):
        """Yield ((round, what it faced), action) for each action of the opponent."""
        for stage, actions in enumerate(betting, start=1):
            raises = 0
            for turn, action in enumerate(actions):
                if turn % 2 != self.seat:
                    yield (stage, FACING[raises] if turn else "nothing"), action
                raises += action == RAISE
'''

EXPECTED_HABITS_SUSPECTS = '''
    def expected_habits(self, situation):
        """Shares of folds, calls and raises: what was counted, on top of a known profile."""
        seen = self.habits[situation]
        name = max(self.suspicion, key=self.suspicion.get)
        if self.suspicion[name] > max(PROOF, self.evidence):
            profile = SUSPECTS[name][PROFILE_ROW[situation[1]]]
            seen = [count + PATIENCE * share for count, share in zip(seen, profile)]
        total = sum(seen)
        return [count / total for count in seen]
'''

EXPECTED_HABITS = '''
    def expected_habits(self, situation):
        """Shares of folds, calls and raises that were counted in this situation."""
        seen = self.habits[situation]
        total = sum(seen)
        return [count / total for count in seen]
'''

BALANCED_PLAY = '''
    def balanced_play(self, obs):
        """Draw an action from the table."""
        betting, legal = obs["betting"], obs["legal_actions"]
        if obs["round"] == 1:
            row = OPENING[obs["my_card"]]
        else:
            row = LATER[hand_name(obs)][self.initiative(betting[0])]
        bet_first, bet_checked, fold_bet, raise_bet, fold_reraise = row
        if FOLD not in legal:
            fold, bet = 0, bet_checked if betting[obs["round"] - 1] else bet_first
        elif RAISE in legal:
            fold, bet = fold_bet, raise_bet
        else:
            fold, bet = fold_reraise, 0
        draw = 100 * self.random.random()
        if draw < fold:
            return FOLD
        return RAISE if draw >= 100 - bet else CALL

    def initiative(self, opening):
        """Who raised last before the public card: the column of the table."""
        raises = [turn for turn, action in enumerate(opening) if action == RAISE]
        if not raises:
            return NOBODYS
        return MINE if raises[-1] % 2 == self.seat else THEIRS
'''

BEST_ANSWER_LOOKAHEAD = '''
    def best_answer(self, obs):
        """Follow every line of this betting round and take the best one."""
        self.stage, self.public, self.edges = obs["round"], obs["public_card"], edges(obs)
        bets = obs["betting"][self.stage - 1]
        spot = (obs["my_bet"], obs["opponent_bet"], bets.count(RAISE), bool(bets))
        return self.my_turn(*spot, self.likely_cards(obs))[1]

    def my_turn(self, mine, theirs, raises, check_ends, cards):
        """(value, action) of the best action, with these bets in the pot."""
        options = []
        if theirs > mine:
            options.append((-mine * sum(cards), FOLD))
        if theirs > mine or check_ends:
            options.append((self.showdown(theirs, cards), CALL))
        else:
            options.append((self.their_turn(mine, theirs, raises, cards), CALL))
        if raises < 2:
            raised = theirs + 2 * self.stage
            options.append((self.their_turn(raised, theirs, raises + 1, cards), RAISE))
        return max(options)

    def their_turn(self, mine, theirs, raises, cards):
        """Value when the opponent answers out of its habits; a call or check ends the round."""
        answers = self.answers_by_card(cards, (self.stage, FACING[raises]), self.public)
        folded, called, raised = (
            [cards[rank] * answers[rank][action] for rank in range(3)]
            for action in (FOLD, CALL, RAISE)
        )
        value = theirs * sum(folded) + self.showdown(mine, called)
        if raises < 2:
            value += self.my_turn(mine, mine + 2 * self.stage, raises + 1, True, raised)[0]
        return value
'''

BEST_ANSWER_POT_ODDS = '''
    def best_answer(self, obs):
        """Compare folding, calling and raising by what each wins on average."""
        self.stage, self.public, self.edges = obs["round"], obs["public_card"], edges(obs)
        mine, theirs = obs["my_bet"], obs["opponent_bet"]
        cards = self.likely_cards(obs)
        values = {CALL: self.showdown(theirs, cards)}
        if theirs > mine:
            values[FOLD] = -mine * sum(cards)
        if RAISE in obs["legal_actions"]:
            raises = 1 + obs["betting"][self.stage - 1].count(RAISE)
            values[RAISE] = self.raise_value(theirs, raises, cards)
        return max(values, key=values.get)

    def raise_value(self, theirs, raises, cards):
        """Some hands fold and leave their bets; the others see a bigger showdown."""
        answers = self.answers_by_card(cards, (self.stage, FACING[raises]), self.public)
        folded = [cards[rank] * answers[rank][FOLD] for rank in range(3)]
        stayed = [card - fold for card, fold in zip(cards, folded)]
        return theirs * sum(folded) + self.showdown(theirs + 2 * self.stage, stayed)
'''

LIKELY_CARDS_HONEST = '''
    def likely_cards(self, obs):
        """Weights of the opponent's card: what is left in the deck, sifted by its actions."""
        seen = (obs["my_card"], obs["public_card"])
        cards = [2.0 - seen.count(rank) for rank in range(3)]
        for situation, action in self.opponent_actions(obs["betting"]):
            public = obs["public_card"] if situation[0] == 2 else UNSEEN
            answers = self.answers_by_card(cards, situation, public)
            cards = [cards[rank] * answers[rank][action] + 1e-6 for rank in range(3)]
        return cards
'''

LIKELY_CARDS_NONE = '''
    def likely_cards(self, obs):
        """Weights of the opponent's card: its actions say nothing, so what the deck has left."""
        seen = (obs["my_card"], obs["public_card"])
        return [2.0 - seen.count(rank) for rank in range(3)]
'''

ANSWERS_HONEST = '''
    def answers_by_card(self, cards, situation, public):
        """(fold, call, raise) by card: people fold their worst hands and raise their best."""
        fold, _, bet = self.expected_habits(situation)
        total, below, answers = sum(cards), 0.0, [None] * 3
        {honesty}
        for rank in WEAKEST_FIRST[public]:
            share = max(1e-9, cards[rank] / total)
            folds = min(1.0, max(0.0, (fold - below) / share))
            bets = min(1.0, max(0.0, (below + share - 1 + bet) / share))
            below += share
            folds = fold + {name} * (folds - fold)
            bets = bet + {name} * (bets - bet)
            answers[rank] = (folds, 1 - folds - bets, bets)
        return answers
'''

ANSWERS_NONE = '''
    def answers_by_card(self, cards, situation, public):
        """(fold, call, raise) by card: the same for all, as this opponent ignores its card."""
        return [self.expected_habits(situation)] * 3
'''

SHOWDOWN = '''
    def showdown(self, stake, cards):
        """Chips won on average when the betting stops here with this stake each."""
        return stake * sum(card * edge for card, edge in zip(cards, self.edges))
'''

SURPRISE = '''
def surprise(share, situation, action):
    """Log odds against a balanced opponent; only what lies outside its usual range counts."""
    low, high = USUAL[situation][action]
    return math.log(share / min(max(share, low), high))
'''

EDGES = '''
def edges(obs):
    """Chips won for each at stake against a Jack, Queen and King, if the betting stops here."""
    order = WEAKEST_FIRST[obs["public_card"]]
    me, them = order.index(obs["my_card"]), [order.index(rank) for rank in range(3)]
    # Before the public card the higher card wins three times in four: half an edge.
    weight = 1.0 if obs["round"] == 2 else 0.5
    return [weight * ((me > it) - (me < it)) for it in them]
'''

HAND_NAME = '''
def hand_name(obs):
    """The hand in words; a Queen is high when the public card is a Jack."""
    mine, public = obs["my_card"], obs["public_card"]
    if mine == public:
        return "pair"
    if mine == QUEEN:
        return "high queen" if public == JACK else "low queen"
    return "king" if mine == KING else "jack"
'''
