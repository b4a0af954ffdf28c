"""Texts as documents: offline ones from real packages, files, and the data sets of the paper.

Splits are made by document, so that no token of the test documents is seen before; overlapping
windows that are split at random, as in the published code, share theirs.
"""

from __future__ import annotations

import bz2
import html
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..errors import BackendMissing, LayoutError

OFFLINE = ("wiki", "news")
HUB = {
    "wikitext2": ("Salesforce/wikitext", "wikitext-2-raw-v1", "text"),
    "c4": ("allenai/c4", "en", "text"),
    "ptb": ("ptb-text-only/ptb_text_only", None, "sentence"),
}
SHORTEST = 500  # characters of a document that is kept
C4_DOCUMENTS = 400


class Tokens(NamedTuple):
    """The tokens of the documents of each split."""

    train: Tensor
    validation: Tensor
    test: Tensor


def documents(source: str, files: Sequence[Path] = ()) -> list[str]:
    """The documents of a source, or of text files with an empty line between documents."""
    if files:
        return [part for path in files for part in _from_file(path)]
    if source == "wiki":
        return wikipedia(_gensim("enwiki*shortened.bz2"))
    if source == "news":
        lines = _gensim("lee_background.cor").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.strip()]
    if source in HUB:
        return _from_hub(source)
    raise LayoutError(f"expected a text among {(*OFFLINE, *HUB)} or --text FILE, got {source!r}")


def _from_file(path: Path) -> list[str]:
    """Text, or parquet and arrow tables through `datasets`, read like those of the hub."""
    if path.suffix in (".parquet", ".arrow"):
        from datasets import Dataset

        read = Dataset.from_parquet if path.suffix == ".parquet" else Dataset.from_file
        table = read(str(path))
        column = next(name for name in ("text", "sentence") if name in table.column_names)
        return _joined(table[column])
    return [part for part in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")) if part.strip()]


def _from_hub(source: str) -> list[str]:
    from datasets import load_dataset

    name, configuration, column = HUB[source]
    if source == "c4":
        stream = load_dataset(name, configuration, split="validation", streaming=True)
        return [row[column] for row in stream.take(C4_DOCUMENTS)]
    options: dict[str, Any] = {"revision": "refs/convert/parquet"} if source == "ptb" else {}
    table = load_dataset(name, configuration, split="test", **options)
    return _joined(table[column])


def _joined(lines: Sequence[str]) -> list[str]:
    """Lines of a corpus as documents: a heading such as ` = Title = ` starts a new one."""
    found: list[list[str]] = [[]]
    for line in lines:
        if re.match(r"^ = [^=].* = \s*$", line) and found[-1]:
            found.append([])
        found[-1].append(line)
    return [text for part in found if (text := "".join(_ended(line) for line in part)).strip()]


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + "\n"


def _gensim(pattern: str) -> Path:
    found = find_spec("gensim")
    places = found.submodule_search_locations if found else None
    files = sorted(Path(places[0]).glob(f"test/test_data/{pattern}")) if places else []
    if not files:
        raise BackendMissing(
            "the offline texts come with the package gensim: pip install 'geomlin[llm]', or give "
            "--text FILE",
            extra="llm",
        )
    return files[0]


def wikipedia(path: Path) -> list[str]:
    """Articles of a dump (bz2), without their markup."""
    with bz2.open(path, "rt", encoding="utf-8") as file:
        raw = file.read()
    pages = (html.unescape(page) for page in re.findall(r"<text[^>]*>(.*?)</text>", raw, re.S))
    cleaned = (without_markup(page) for page in pages if not page.startswith("#REDIRECT"))
    return [page for page in cleaned if len(page) > SHORTEST]


def without_markup(page: str) -> str:
    """Running text of an article: templates, tables, references, links and lists taken out."""
    page = re.sub(r"<!--.*?-->|<ref[^>]*/>|<(ref|math|gallery).*?</\1>", "", page, flags=re.S)
    before = None
    while before != page:  # innermost first
        before = page
        page = re.sub(r"\{\{[^{}]*\}\}|\{\|[^{}]*?\|\}", "", page, flags=re.S)
        page = re.sub(r"\[\[(?:File|Image|Category|[a-z-]{2,12}):[^\[\]]*\]\]", "", page)
        page = re.sub(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]", r"\1", page)
    page = re.sub(r"\[https?://\S+ ?([^\]]*)\]", r"\1", page)
    page = re.sub(r"<[^>]+>|'{2,}", "", page)
    lines = (line.strip("= ") for line in page.splitlines())
    kept = [line for line in lines if len(line) > 60 and line[0] not in "*|#:;"]
    return "\n".join(kept)


def split(texts: Sequence[str], tokenizer: Any) -> Tokens:
    """Tokens of 70, 10 and 20 percent of the documents, by length, in their order."""
    encoded = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    total, seen = sum(map(len, encoded)), 0
    parts: tuple[list[int], list[int], list[int]] = ([], [], [])
    for tokens in encoded:
        share = seen / total
        parts[0 if share < 0.7 else 1 if share < 0.8 else 2].extend(tokens)
        seen += len(tokens)
    return Tokens(*(torch.tensor(part, dtype=torch.long) for part in parts))


def windows(tokens: Tensor, count: int, *, length: int, stride: int, purpose: str) -> Tensor:
    """The first `count` windows, (count, length)."""
    available = 1 + (len(tokens) - length) // stride if len(tokens) >= length else 0
    if available < count:
        raise LayoutError(
            f"expected a text with {count} windows of {length} tokens for {purpose}, got "
            f"{max(0, available)}: use a longer text, or fewer windows"
        )
    return torch.stack([tokens[k * stride : k * stride + length] for k in range(count)])
