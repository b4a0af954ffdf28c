"""Mathematics in plain text, as the files of proofs/ write it, as LaTeX.

    R x ~R = ⟨R x ~R⟩_1 + x ∧ ⟨~R R⟩_4  for n ≤ 5

is read as formulas and prose: a word of two letters or more is prose unless it names a function
or a product of two letters.  So one text serves the terminal and the pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

_OPERATORS = {"exp", "log", "det", "cos", "sin", "tan", "cosh", "sinh", "max", "min", "dim"}
_NAMES = {
    **{name: rf"\{name}" for name in _OPERATORS},
    **{name: rf"\operatorname{{{name}}}" for name in ("diag", "tr", "rad", "Pf", "ad", "Im")},
    **{name: rf"\mathrm{{{name}}}" for name in ("Cl", "SO", "GL", "expm")},
    "acosh": r"\operatorname{arcosh}",
    "acos": r"\arccos",
    "mod": r"\bmod",
    "so": r"\mathfrak{so}",
}
# Two letters that are no product; the others are: AB, tB, dR, xy.
_SHORT_WORDS = frozenset(
    {"an", "as", "at", "be", "by", "do", "go", "if", "in", "is", "it", "nd", "no", "of", "on"}
    | {"or", "so", "st", "th", "to", "up", "us", "we"}
)
_AFTER_A_NAME = frozenset(  # before these, "a" is no article
    {"and", "are", "as", "be", "by", "has", "in", "is", "of", "or", "sums", "with"}
)
_TABLE = r"""
    − -      ∧ \wedge  · \cdot   ⌋ \rfloor  ⌊ \lfloor  ⌈ \lceil  ⌉ \rceil  ∈ \in     ∋ \ni
    ≤ \le    ≥ \ge     ≠ \ne     ± \pm      ∓ \mp      × \times  → \to     ↦ \mapsto ∞ \infty
    ∖ \setminus        ∅ \emptyset          ⊕ \oplus   ⊗ \otimes ⊥ \perp   ⟨ \langle ⟩ \rangle
    α \alpha β \beta   γ \gamma  δ \delta   θ \theta   κ \kappa  λ \lambda μ \mu     ξ \xi
    π \pi    ρ \rho    σ \sigma  φ \varphi  χ \chi     Λ \Lambda Ω \Omega  Σ \sum    Π \prod
    ℝ \mathbb{R}       ℚ \mathbb{Q}         ℂ \mathbb{C}         ℍ \mathbb{H}        ℤ \mathbb{Z}
    .. \dots + + = = < < > > / / ! ! | | ' '
"""
_PAIRS = _TABLE.split()
_SYMBOLS = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵒᵖ", [*"0123456789+-", "o", "p"], strict=True))
_TOKEN = re.compile(
    r"""(?P<code>`[^`]+`|[a-z]{2,}(?:_[a-z]+)+|[a-z]+(?:\.[a-z]+){2,}|[a-z]+\.py)
    |(?P<label>H\d)
    |(?P<script>[_^](?:\{[^}]*\}|\((?:[^()]|\([^()]*\))*\)|∧?[A-Za-z0-9α-ω]+|[-+−±∅]))
    |(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵒᵖ]+)
    |(?P<word>[A-Za-zÀ-ɏ]{2,}(?:[-.][\w.]*\w)*(?:['’][a-z]+)?)
    |(?P<letter>[A-Za-zα-ωΑ-Ωℝℚℂℍℤ]\u0302?\d*)
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<prefix>[~√])
    |(?P<open>[(\[{])|(?P<close>[)\]}])
    |(?P<symbol>\.\.|[−∧·⌋⌊⌈⌉∈∋≤≥≠±∓×→↦∞∖∅⊕⊗⊥⟨⟩+=<>/!|'])
    |(?P<space>\s+)
    |(?P<other>.)""",
    re.VERBOSE,
)
_REFERENCE = re.compile(r"(?:H?\d+)(?:[,;] ?H?\d+)*")


@dataclass
class _Node:
    """A token, or a bracketed group of nodes."""

    kind: str
    text: str
    inside: list[_Node] = field(default_factory=list)

    @property
    def is_formula(self) -> bool:
        """Whether it belongs into a formula."""
        if self.kind == "group":
            return all(x.is_formula or x.kind == "space" or x.text in ",;:" for x in self.inside)
        return self.kind in ("script", "raised", "letter", "number", "prefix", "symbol", "name")


def inline(text: str) -> str:
    """Prose with its formulas as $LaTeX$."""
    return _assembled(_tree(text), lambda latex: f"${latex}$", lambda prose: prose)


def display(text: str) -> str:
    """One displayed line as LaTeX, its prose as text; wide gaps stay gaps."""
    parts = re.split(r"\s{2,}", text.strip())
    rows = (_assembled(_tree(part), lambda latex: latex, _as_text) for part in parts)
    return r" \qquad ".join(rows)


def _as_text(prose: str) -> str:
    """Prose inside a formula; punctuation is the same in both."""
    plain = re.sub(r"([_%#&$])", r"\\\1", prose.replace("`", ""))
    return prose if not re.search(r"\w", prose) else rf"\text{{{plain}}}"


def _tree(text: str) -> list[_Node]:
    """The tokens, with brackets matched; a bracket that is not stays a token."""
    stack: list[list[_Node]] = [[]]
    opened: list[str] = []
    for token in _TOKEN.finditer(text):
        kind, value = str(token.lastgroup), token.group()
        if kind == "word":
            kind = "name" if _is_name(value, text[token.end() : token.end() + 1]) else "word"
        if kind == "open":
            opened.append(value)
            stack.append([])
        elif kind == "close" and opened:
            inside = stack.pop()
            stack[-1].append(_Node("group", opened.pop() + value, inside))
        else:
            stack[-1].append(_Node("other" if kind == "close" else kind, value))
    while opened:
        inside = stack.pop()
        stack[-1] += [_Node("other", opened.pop()), *inside]
    return stack[0]


def _is_name(word: str, following: str) -> bool:
    if word == "so":
        return following == "("
    return word in _NAMES or (len(word) == 2 and word.lower() not in _SHORT_WORDS)


def _assembled(
    nodes: Sequence[_Node], formula: Callable[[str], str], prose: Callable[[str], str]
) -> str:
    """Longest runs of formula nodes through one function, everything else through the other."""
    parts: list[str] = []
    run: list[_Node] = []  # of the formula, with the spaces behind it
    words: list[str] = []

    def flush() -> None:
        """Write the formula, and give back the space behind it."""
        if not run:
            return
        tail = [run.pop().text for _ in range(len(run)) if run[-1].kind == "space"]
        if words:
            parts.append(prose("".join(words)))
            words.clear()
        parts.append(formula(latex_of(run)))
        run.clear()
        words.extend(tail)

    for node in _with_articles(_opened(nodes)):
        if node.is_formula or (run and node.kind == "space"):
            run.append(node)
        else:
            flush()
            words.append(
                f"`{node.text}`" if node.kind == "code" and node.text[0] != "`" else node.text
            )
    flush()
    return "".join([*parts, prose("".join(words))] if words else parts)


def _opened(nodes: Sequence[_Node]) -> Iterator[_Node]:
    """Groups that contain prose, and references such as [2, H1], fall apart into their nodes."""
    for node in nodes:
        reference = node.text == "[]" and _REFERENCE.fullmatch("".join(x.text for x in node.inside))
        if node.kind == "group" and (reference or not node.is_formula):
            inside = "".join(x.text for x in node.inside) if reference else ""
            yield _Node("other", node.text[0] + inside)
            if not reference:
                yield from _opened(node.inside)
            yield _Node("other", node.text[1])
        else:
            yield node


def _with_articles(nodes: Iterator[_Node]) -> list[_Node]:
    """The letter a between two words is the article."""
    found = list(nodes)
    for k, node in enumerate(found[:-2]):
        before = next((x for x in reversed(found[:k]) if x.kind != "space"), None)
        if (
            node.text in ("a", "A")
            and (before is None or not before.is_formula)
            and found[k + 1].kind == "space"
            and found[k + 2].kind == "word"
            and found[k + 2].text not in _AFTER_A_NAME
        ):
            found[k] = _Node("word", node.text)
    return found


def latex_of(nodes: Sequence[_Node]) -> str:
    """A formula."""
    parts: list[str] = []
    k = 0
    while k < len(nodes):
        k, latex = _next(nodes, k)
        parts.append(latex)
    text = " ".join(part for part in parts if part)
    return re.sub(r" (?=[_^),!'])|(?<=\() ", "", text)


def _next(nodes: Sequence[_Node], k: int) -> tuple[int, str]:
    """The LaTeX of the node at k, with what it takes as an argument; the next position."""
    node = nodes[k]
    if node.kind == "prefix":
        return _prefixed(nodes, k)
    if node.kind == "group":
        return k + 1, _group(node)
    if node.kind == "letter":
        return k + 1, _letter(node.text)
    if node.kind == "script":
        return k + 1, _script(node.text)
    if node.kind == "raised":
        above = "".join(_RAISED[c] for c in node.text).replace("op", r"\mathrm{op}")
        return k + 1, f"^{{{above}}}"
    if node.kind == "name":
        return k + 1, _NAMES.get(node.text, node.text)
    return k + 1, _SYMBOLS.get(node.text, node.text.strip())


def _prefixed(nodes: Sequence[_Node], k: int) -> tuple[int, str]:
    """~ and √ with the letter, number, group or function value that they stand before."""
    root = nodes[k].text == "√"
    if k + 1 == len(nodes) or nodes[k + 1].kind in ("space", "symbol"):
        return k + 1, r"\surd" if root else r"\sim"
    after, first = k + 2, nodes[k + 1]
    if root and first.kind == "group":
        return after, rf"\sqrt{{{latex_of(first.inside)}}}"
    argument = [first]
    while after < len(nodes) and (
        (first.kind == "name" and nodes[after].kind == "group")
        or (root and nodes[after].kind in ("script", "raised"))
    ):
        argument.append(nodes[after])
        after += 1
    short = len(argument) == 1 and len(first.text) == 1
    accent = r"\sqrt" if root else r"\tilde" if short else r"\widetilde"
    return after, f"{accent}{{{latex_of(argument)}}}"


def _group(node: _Node) -> str:
    left, right = (rf"\{c}" if c in "{}" else c for c in node.text)
    return f"{left}{latex_of(node.inside)}{right}"


def _letter(text: str) -> str:
    """A letter, with the digits behind it as its index: e12."""
    base, digits = text.rstrip("0123456789"), text[len(text.rstrip("0123456789")) :]
    plain = base.rstrip("\u0302")
    latex = _SYMBOLS.get(plain, plain)
    latex = rf"\hat{{{latex}}}" if base != plain else latex
    return f"{latex}_{{{digits}}}" if digits else latex


def _script(text: str) -> str:
    """_ij, _{i<j}, ^(n−1), ^even: an index or an exponent, without its brackets."""
    sign, rest = text[0], text[1:]
    if rest[0] in "{(":
        return f"{sign}{{{latex_of(_tree(rest[1:-1]))}}}"
    if rest == "even":
        return rf"{sign}{{\mathrm{{even}}}}"
    inner = "".join(_SYMBOLS.get(c, c) + " " if c in _SYMBOLS else c for c in rest)
    return f"{sign}{{{inner.strip()}}}"
