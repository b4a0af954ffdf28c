"""What prove returns: a proof, a counterexample, or the reason why there is neither."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..signature import Signature
from ..verdict import Strength, Verdict, compact_range


@dataclass(frozen=True)
class Witness:
    """Exact arguments, in backend "fractions", that satisfy the hypotheses.

    `lhs` and `rhs` are the two sides there, evaluated with geomlin's own multivectors.
    """

    signature: Signature
    arguments: Mapping[str, Any]
    lhs: Any
    rhs: Any

    def __getitem__(self, name: str) -> Any:
        """The argument of that name."""
        return self.arguments[name]

    def __str__(self) -> str:
        given = ", ".join(f"{name} = {exact(value)}" for name, value in self.arguments.items())
        sides = f"lhs = {exact(self.lhs)}, rhs = {exact(self.rhs)}"
        return f"{self.signature}: {given + '; ' if given else ''}{sides}"


def exact(value: Any) -> str:
    """A multivector of rational numbers on one line: 2 - e1 + 1/2 e12."""
    parts = []
    for name, number in value.as_dict().items():
        sign = "- " if number < 0 else "+ "
        size = "" if abs(number) == 1 and name != "1" else f"{abs(number)} "
        parts.append(sign + (size + ("" if name == "1" else name)).rstrip())
    text = " ".join(parts).removeprefix("+ ")
    return text.replace("- ", "-", 1) if text.startswith("- ") else text or "0"


@dataclass(frozen=True)
class Proof:
    """An identity that is proved, to this strength and no further.

    `fixed` names the numbers that the claim fixes: vectors, scalars, grades, exponents, degrees,
    or the dimensions.  `hypotheses` include every denominator.
    """

    strength: Strength
    fixed: Mapping[str, tuple[int, ...]]
    arguments: str
    statement: str
    statement_latex: str
    hypotheses: tuple[str, ...]
    normal_form: str
    normal_form_latex: str
    method: str
    example: Witness | None = None
    remarks: tuple[str, ...] = ()

    holds = True
    refuted = False

    def __bool__(self) -> bool:
        return True

    @property
    def claim(self) -> str:
        """The strength word with its fixed numbers: ALL_DIMENSIONS(vectors=3)."""
        shown = [f"{name}={compact_range(numbers)}" for name, numbers in self.fixed.items()]
        return f"{self.strength.value}({', '.join(shown)})"

    @property
    def verdict(self) -> Verdict:
        """The verdict that reports print."""
        if self.strength is Strength.ALL_DIMENSIONS:
            counts = (self.fixed.get("vectors", (0,))[0], self.fixed.get("scalars", (0,))[0])
            return Verdict(self.strength, numbers=counts)
        return Verdict(self.strength, numbers=self.fixed["n"])

    def with_remarks(self, remarks: Iterable[str]) -> Proof:
        """The same proof with more remarks."""
        return replace(self, remarks=(*self.remarks, *remarks))

    def __str__(self) -> str:
        lines = [f"{self.claim}: {self.statement}", f"  for {self.arguments}"]
        lines += [f"  provided {hypothesis}" for hypothesis in self.hypotheses]
        if self.normal_form:
            lines.append(f"  both sides: {self.normal_form}")
        lines.append(f"  method: {self.method}")
        if self.example is not None:
            lines.append(f"  the hypotheses hold, for example, at {self.example}")
        lines += [f"  {remark}" for remark in self.remarks]
        return "\n".join(lines)

    def latex(self) -> str:
        """The statement, its hypotheses and the common value of both sides."""
        rows = [rf"&{self.statement_latex}"]
        rows += [rf"&\text{{provided {text}}}" for text in self.hypotheses]
        if self.normal_form_latex:
            rows.append(rf"&\text{{both sides: }} {self.normal_form_latex}")
        return r"\begin{aligned}" + r" \\ ".join(rows) + r"\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


@dataclass(frozen=True)
class Counterexample:
    """An identity that is false, with exact arguments that show it.

    The witness has the smallest dimension in which `searched` found one.
    """

    witness: Witness
    arguments: str
    statement: str
    statement_latex: str
    hypotheses: tuple[str, ...]
    searched: str

    holds = False
    refuted = True
    strength = Strength.REFUTED

    def __bool__(self) -> bool:
        return False

    @property
    def verdict(self) -> Verdict:
        """The verdict that reports print."""
        return Verdict(Strength.REFUTED, witness=str(self.witness))

    def __str__(self) -> str:
        lines = [f"REFUTED({self.witness}): {self.statement}", f"  for {self.arguments}"]
        lines += [f"  although {hypothesis}" for hypothesis in self.hypotheses]
        return "\n".join([*lines, f"  search: {self.searched}"])

    def latex(self) -> str:
        """The false statement and the witness."""
        return rf"{self.statement_latex} \quad \text{{is false: {self.witness}}}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


@dataclass(frozen=True)
class NotRun:
    """Neither proved nor refuted, for the reason given."""

    reason: str
    statement: str = ""

    holds = False
    refuted = False
    strength = Strength.NOT_RUN

    def __bool__(self) -> bool:
        return False

    @property
    def verdict(self) -> Verdict:
        """The verdict that reports print."""
        return Verdict(Strength.NOT_RUN, reason=self.reason)

    def __str__(self) -> str:
        return f"NOT_RUN({self.reason})" + (f": {self.statement}" if self.statement else "")


Outcome = Proof | Counterexample | NotRun
