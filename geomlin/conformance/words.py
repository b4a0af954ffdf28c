"""What can be said about one vector, in one word each."""

from __future__ import annotations

PASS, NOT_RUN = "PASS", "NOT_RUN"
FAILURES = {
    "WRONG": "a finite answer beyond the bound: silently wrong",
    "NAN": "NaN or infinity where there is an answer",
    "REFUSED": "an error where there is an answer",
    "CRASHED": "a programming error (NameError and the like), or the process died",
    "HUNG": "no answer within the time",
    "ACCEPTED": "a number where there is no answer",
    "SHAPE": "an array of another shape",
}
