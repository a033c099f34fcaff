"""The tests cover many mistakes, each with its own message."""

import re

import test_common_mistakes
import test_language_mistakes
import test_op_mistakes


def test_more_than_a_hundred_mistakes_are_told_apart():
    told = [message for _, message in test_common_mistakes.MISTAKES]
    for module in (test_language_mistakes, test_op_mistakes):
        told += [parameter.values[3] for parameter in module.MISTAKES]
    # Messages that differ only in numbers and names are one mistake.
    kinds = {re.sub(r"\d+|'[^']*'|\bgot .*", "_", message) for message in told}
    assert len(kinds) >= 100, len(kinds)
