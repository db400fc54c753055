"""``llm_agent``: a language model that is asked at every turn, instead of writing a program.

A whole evaluation would take hundreds of thousands of calls, so it is a sample: some opponents, and
the first turns of each episode. What is not asked is not played, and every figure says so.
"""
