"""Sessions of Python on a page: its `>>>` blocks, run one after the other.

Numbers are compared to 9 digits, so that another processor may round differently; everything else,
the text of errors included, literally.
"""

from __future__ import annotations

import doctest
import re

NUMBER = re.compile(r"[-−]?\d+\.\d*(?:e[-+]?\d+)?")
DIGITS = 1e-9


class NumbersToNineDigits(doctest.OutputChecker):
    """Compares outputs literally but for decimal numbers."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        if NUMBER.sub("#", want).split() != NUMBER.sub("#", got).split():
            return False
        pairs = zip(NUMBER.findall(want), NUMBER.findall(got), strict=True)
        values = [tuple(float(x.replace("−", "-")) for x in pair) for pair in pairs]
        return all(abs(a - b) <= DIGITS * max(1.0, abs(a)) for a, b in values)


def run(text: str, name: str) -> tuple[int, int, str]:
    """Failures, attempts and the report of the blocks of a page."""
    blocks = re.findall(r"```pycon\n(.*?)```", text, re.S)
    test = doctest.DocTestParser().get_doctest("\n\n".join(blocks), {}, name, name, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(NumbersToNineDigits(), optionflags=doctest.ELLIPSIS)
    failed, attempted = runner.run(test, out=report.append)
    return failed, attempted, "".join(report)
