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
from torch import Tensor

from ..errors import BackendMissing, LayoutError
from .llm_model import Model
from .run_folder import Progress, RunFolder

QUESTIONS_AT_ONCE = 8  # between two checkpoints


class Question(NamedTuple):
    """A context, the continuations to choose from, and which one is right."""

    context: str
    choices: tuple[str, ...]
    answer: int


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


def choose(source: str, count: int) -> tuple[Question, ...]:
    """At most `count` questions, evenly spread over a file or the items "mmlu"; none from ""."""
    if not source:
        return ()
    if source == "mmlu":
        found = development_questions()
    elif Path(source).is_file():
        found = questions(Path(source))
    else:
        raise LayoutError(f"expected a jsonl file of questions or mmlu, {source} does not exist")
    if not found:
        raise LayoutError(f"expected questions in {source}, got none")
    chosen = min(count, len(found))
    return tuple(found[k * len(found) // chosen] for k in range(chosen))


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


def judge(model: Model, question: Question) -> tuple[bool, bool]:
    """Whether the model is right by the sum, and by the sum over the length."""
    values = log_likelihoods(model, question)
    lengths = [len(choice) - 1 for choice in question.choices]  # without the leading space
    by_length = [value / max(1, k) for value, k in zip(values, lengths, strict=True)]
    return (
        values.index(max(values)) == question.answer,
        by_length.index(max(by_length)) == question.answer,
    )


def answer(
    run: RunFolder,
    key: str,
    model: Model,
    asked: Sequence[Question],
    progress: Progress | None = None,
) -> Tensor:
    """Which questions are answered right by both rules, (questions, 2) of 0 and 1, and kept."""
    found: Tensor | None = run.load(f"answers-{key}")
    if found is None:
        found = torch.zeros(0, 2)
    while len(found) < len(asked):
        if progress is not None:
            progress(f"questions {key}", len(found), len(asked))
        part = asked[len(found) : len(found) + QUESTIONS_AT_ONCE]
        new = torch.tensor([judge(model, question) for question in part]).float()
        found = torch.cat([found, new])
        run.save(f"answers-{key}", found)
    return found
