"""Multiple choice, scored as lm-eval does: the likelihood of each answer after the question.

acc takes the answer with the largest sum of log likelihoods, acc_norm the largest sum divided by
the number of characters of the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch

from ..errors import BackendMissing, LayoutError
from .llm_model import Model


class Question(NamedTuple):
    """A context, the continuations to choose from, and which one is right."""

    context: str
    choices: tuple[str, ...]
    answer: int


class Score(NamedTuple):
    """Right answers in percent, and the standard error of one proportion."""

    questions: int
    accuracy: float
    normalized: float
    error: float


def questions(path: Path) -> list[Question]:
    """Lines of JSON: {"question": .., "choices": [..], "answer": index}."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            choices, answer = tuple(map(str, row["choices"])), int(row["answer"])
            context = f"Question: {row['question'].strip()}\nAnswer:"
        except (KeyError, TypeError, ValueError) as error:
            raise LayoutError(
                f'{path}:{number}: expected {{"question": .., "choices": [..], "answer": index}}, '
                f"got {line[:80]!r} ({error})"
            ) from None
        if not 0 <= answer < len(choices):
            raise LayoutError(f"{path}:{number}: answer {answer} of {len(choices)} choices")
        found.append(Question(context, tuple(" " + choice.strip() for choice in choices), answer))
    return found


def development_questions() -> list[Question]:
    """The MMLU development items that come with the package lm-eval."""
    found = find_spec("lm_eval")
    if found is None or not found.submodule_search_locations:
        raise BackendMissing(
            "the default questions come with lm-eval: pip install 'geomlin[llm]', or give "
            "--questions FILE.jsonl",
            extra="llm",
        )
    place = Path(found.submodule_search_locations[0])
    file = place / "tasks" / "mmlu" / "flan_cot_fewshot" / "_cot_prompts.json"
    subjects: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    pattern = re.compile(
        r"(.*)\n\(A\) (.*?) \(B\) (.*?) \(C\) (.*?) \(D\) (.*?)\nA:.*answer is \(([ABCD])\)", re.S
    )
    matches = (
        pattern.match(part) for text in subjects.values() for part in text.split("\n\nQ: ")[1:]
    )
    return [
        Question(
            f"Question: {m[1].strip()}\nAnswer:",
            tuple(" " + m[k].strip() for k in range(2, 6)),
            "ABCD".index(m[6]),
        )
        for m in matches
        if m
    ]


def log_likelihoods(model: Model, question: Question) -> list[float]:
    """Sum of the log likelihoods of the tokens of each continuation.

    As lm-eval, the context and the whole are encoded, and what the whole has more is scored.
    """
    tokenizer: Any = model.tokenizer
    context = tokenizer(question.context)["input_ids"]
    found = []
    for choice in question.choices:
        whole = tokenizer(question.context + choice)["input_ids"]
        tokens = torch.tensor([whole])
        with torch.no_grad():
            logits = model.network(input_ids=tokens[:, :-1], use_cache=False).logits[0]
        likelihoods = logits.float().log_softmax(dim=-1)[len(context) - 1 :]
        wanted = tokens[0, len(context) :]
        found.append(likelihoods[torch.arange(len(wanted)), wanted].sum().item())
    return found


def score(model: Model, asked: Sequence[Question]) -> Score:
    """How many are right, by both rules."""
    right = normalized = 0
    for question in asked:
        values = log_likelihoods(model, question)
        lengths = [len(choice) - 1 for choice in question.choices]  # without the leading space
        by_length = [value / max(1, k) for value, k in zip(values, lengths, strict=True)]
        right += values.index(max(values)) == question.answer
        normalized += by_length.index(max(by_length)) == question.answer
    count = len(asked)
    share = right / count
    return Score(
        count, 100 * share, 100 * normalized / count, 100 * (share * (1 - share) / count) ** 0.5
    )
