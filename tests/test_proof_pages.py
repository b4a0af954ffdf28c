"""The text of a theorem as LaTeX: every formula of proofs/, and the notation line by line."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from geomlin.proving.catalogue import theorems
from geomlin.proving.document import page, title_of
from geomlin.proving.mathematics import display, inline
from geomlin.proving.theorem import Theorem
from geomlin.verdict import compact_range

THEOREMS = theorems()
COMMANDS = set(
    re.findall(
        r"[a-zA-Z]+",
        """exp log det cos sin tan cosh sinh max min dim operatorname mathrm mathbb mathfrak arccos
        bmod wedge cdot rfloor lfloor lceil rceil in ni le ge ne pm mp times to mapsto infty
        setminus emptyset oplus otimes perp langle rangle alpha beta gamma delta theta kappa lambda
        mu xi pi rho sigma varphi chi Lambda Omega sum prod dots sqrt tilde widetilde hat sim text
        qquad begin end""",
    )
)

each_theorem = pytest.mark.parametrize("theorem", THEOREMS.values(), ids=THEOREMS.keys())


def page_of(theorem: Theorem) -> str:
    return page(theorem, str(import_module(f"geomlin_proofs.{theorem.name}").__doc__))


def formulas(markdown: str) -> list[str]:
    """What stands between dollars."""
    shown = re.findall(r"\$\$(.*?)\$\$", markdown, re.S)
    return shown + re.findall(r"\$([^$]+)\$", re.sub(r"\$\$.*?\$\$", "", markdown, flags=re.S))


def fault(latex: str) -> str:
    """Why MathJax would not take a formula, "" if it does."""
    words = re.sub(r"\\text\{[^{}]*\}", "", latex)
    if foreign := re.search(r"[^\x00-\x7f]", words):
        return f"no LaTeX for {foreign[0]}"
    if unknown := set(re.findall(r"\\([a-zA-Z]+)", latex)) - COMMANDS:
        return f"unknown {unknown}"
    if re.search(r"[_^]\s*(?:[_^}]|$)|\^\{[^{}]*\}\s*\^|_\{[^{}]*\}\s*_", words):
        return "an index or an exponent that is missing, or doubled"
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return "} without {"
    return "{ without }" if depth else ""


@each_theorem
def test_every_formula_is_latex(theorem: Theorem) -> None:
    found = formulas(page_of(theorem))
    assert len(found) > 20
    assert {latex: fault(latex) for latex in found if fault(latex)} == {}


@each_theorem
def test_no_formula_is_left_as_text(theorem: Theorem) -> None:
    """Outside of formulas there is prose: no operator, no index, no Greek letter."""
    text = page_of(theorem).partition("**References")[0]
    text = re.sub(r"```.*?```|\$\$.*?\$\$|\$[^$]+\$|`[^`]+`", "", text, flags=re.S)
    assert re.findall(r"[^\s]*[=≤≥∈∧^~²αβλσφχΣΠ√][^\s]*", text) == []
    assert re.findall(r"\b[b-zB-Z]_\w+", text) == []


@each_theorem
def test_page_says_everything_that_the_file_says(theorem: Theorem) -> None:
    text = page_of(theorem)
    parts = ["Statement", "Hypotheses", "Conventions", "Derivation", "Remarks", "References"]
    positions = [text.find(f"**{part}") for part in [*parts, "Machine check"]]
    assert min(positions) >= 0
    assert positions == sorted(positions)
    for number, label in enumerate(theorem.labels, start=1):
        assert f"- **H{number}** ({label}) " in text
    docstring = str(import_module(f"geomlin_proofs.{theorem.name}").__doc__)
    steps = re.findall(r"^  (\d)\.  ", docstring, re.M)
    assert re.findall(r"^(\d)\. ", text, re.M) == steps
    assert text.count("$$") == 2 * text.count("aligned}") / 2
    assert f"`POLYNOMIAL(n={compact_range(theorem.dimensions)}){theorem.limit}`" in text
    shown = text.partition("**Machine check.**")[2]
    assert shown.count("\n- ") == len(theorem.steps) + len(theorem.twins)
    assert title_of(docstring) == docstring.strip().splitlines()[0]


@pytest.mark.parametrize(
    ("plain", "latex"),
    [
        ("R x ~R ∈ V", r"$R x \tilde{R} \in V$"),
        ("~(A B) = ~B ~A", r"$\widetilde{(A B)} = \tilde{B} \tilde{A}$"),
        ("~exp(−B) = exp(B)⁻¹", r"$\widetilde{\exp (- B)} = \exp (B)^{-1}$"),
        ("a vector a in V, a² ≠ 0", r"a vector $a$ in $V$, $a^{2} \ne 0$"),
        ("e12 + e_(1..n)", r"$e_{12} + e_{1 \dots n}$"),
        ("Σ_{i<j} b_ij² g_i", r"$\sum_{i < j} b_{ij}^{2} g_{i}$"),
        ("f(c) = acosh(c)/√(c² − 1)", r"$f (c) = \operatorname{arcosh} (c) / \sqrt{c^{2} - 1}$"),
        ("the kernel {1, −1} of it", r"the kernel $\{1, - 1\}$ of it"),
        ("by steps 2 and 3 [1, H2]", r"by steps $2$ and $3$ [1, H2]"),
        ("(column k of O D)", r"(column $k$ of $O D$)"),
        ("so(p, q), so that", r"$\mathfrak{so} (p, q)$, so that"),
        ("see simple_parts and `log`", "see `simple_parts` and `log`"),
        ("off (−∞, −1]", r"off $(- \infty, - 1]$"),
        ("X̂ and Cl⁺ᵒᵖ, ~ reverses", r"$\hat{X}$ and $\mathrm{Cl}^{+\mathrm{op}}$, $\sim$ reverses"),
        ("an open ( stays", "an open ( stays"),
        ("a ∧ b · c ⌋ d ⌊ e", r"$a \wedge b \cdot c \rfloor d \lfloor e$"),
        ("⌈x⌉ ∈ V ∋ y ∖ ∅", r"$\lceil x \rceil \in V \ni y \setminus \emptyset$"),
        ("x ≤ y ≥ z ≠ 0", r"$x \le y \ge z \ne 0$"),
        ("x ± y ∓ z × u", r"$x \pm y \mp z \times u$"),
        ("x → y ↦ ∞", r"$x \to y \mapsto \infty$"),
        ("U ⊕ V ⊗ W ⊥ X", r"$U \oplus V \otimes W \perp X$"),
        ("⟨A⟩ + Σ Π", r"$\langle A \rangle + \sum \prod$"),
        ("α β γ δ θ κ λ", r"$\alpha \beta \gamma \delta \theta \kappa \lambda$"),
        ("μ ξ π ρ σ φ χ", r"$\mu \xi \pi \rho \sigma \varphi \chi$"),
        (
            "Λ Ω ℝ ℚ ℂ ℍ ℤ",
            r"$\Lambda \Omega "
            r"\mathbb{R} \mathbb{Q} \mathbb{C} \mathbb{H} \mathbb{Z}$",
        ),
    ],
)
def test_notation(plain: str, latex: str) -> None:
    assert inline(plain) == latex


def test_displayed_line_keeps_its_gaps_and_words() -> None:
    assert display("    B² = 0,    for every B ∈ V.") == (
        r"B^{2} = 0, \qquad \text{for every }B \in V."
    )


@pytest.mark.parametrize(
    "latex", [r"e_{12", r"e_{1}}", r"a \wedg b", "e²", "x_", "x^{2}^{3}", r"{\text{a}"]
)
def test_faults_are_found(latex: str) -> None:
    assert fault(latex)
