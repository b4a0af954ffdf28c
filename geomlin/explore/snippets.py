"""What each view prints, as Python that a reader can copy: the page shows the output of this code.

Nothing on the page is computed twice: the text of a view is what its snippet prints.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from types import MappingProxyType

import numpy as np

Coefficients = Mapping[str, float]

SIGNATURES: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        "Cl(2): the plane": (2, 0, 0),
        "Cl(3): space": (3, 0, 0),
        "Cl(4): four dimensions": (4, 0, 0),
        "Cl(5): five dimensions": (5, 0, 0),
        "Cl(1,1): one boost": (1, 1, 0),
        "Cl(1,3): space-time": (1, 3, 0),
        "Cl(2,2): neutral": (2, 2, 0),
        "Cl(4,1): conformal": (4, 1, 0),
        "Cl(2,0,1): projective plane": (2, 0, 1),
        "Cl(3,0,1): projective space": (3, 0, 1),
    }
)


def _bivector(signature: tuple[int, int, int], coefficients: Coefficients) -> str:
    """Lines that make the algebra `alg` and the bivector `B`."""
    numbers = ", ".join(map(str, signature))
    entries = ", ".join(f'"{name}": {value!r}' for name, value in coefficients.items() if value)
    return f"alg = Algebra({numbers})\nB = alg.bivector({{{entries}}})\n"


def parts(signature: tuple[int, int, int], coefficients: Coefficients) -> str:
    """The commuting simple parts, their squares and kinds."""
    return (
        "from geomlin import Algebra, PlaneKind, invariant_decomposition\n\n"
        + _bivector(signature, coefficients)
        + "parts, squares, kinds = invariant_decomposition(B, blocks=True)\n"
        "for b, square, kind in zip(parts, squares, kinds):\n"
        "    square = square if square.imag else square.real\n"
        '    print(f"{PlaneKind(kind).name:13} square {square:.6g}:  {b}")\n'
    )


def rotor(signature: tuple[int, int, int], coefficients: Coefficients) -> str:
    """The coefficients of exp(B), as floats and as certified enclosures."""
    numbers = ", ".join(map(str, signature))
    exact = ", ".join(f'"{name}": "{value!r}"' for name, value in coefficients.items() if value)
    return (
        "from geomlin import Algebra, exp\n\n" + _bivector(signature, coefficients) + "R = exp(B)\n"
        f'balls = Algebra({numbers}, backend="arb").bivector({{{exact}}})\n'
        "certified = exp(balls)\n"
        "for name, value in R.as_dict().items():\n"
        '    print(f"{name:7} {value:+.16f}   {certified[name]}")\n'
    )


def exact(signature: tuple[int, int, int], coefficients: Coefficients) -> str:
    """The coefficients of exp(B) as expressions in rational numbers, nothing rounded."""
    numbers = ", ".join(map(str, signature))
    entries = ", ".join(
        f'"{name}": Rational("{value!r}")' for name, value in coefficients.items() if value
    )
    return (
        "from sympy import Rational\n"
        "from geomlin import Algebra, exp\n\n"
        f'alg = Algebra({numbers}, backend="sympy")\n'
        f"R = exp(alg.bivector({{{entries}}}))\n"
        "for name, value in R.as_dict().items():\n"
        '    print(f"{name:7} {value}")\n'
    )


def matrix(signature: tuple[int, int, int], coefficients: Coefficients) -> str:
    """The matrix of x -> R x ~R; column j is the image of e_j."""
    return (
        "import numpy as np\n"
        "from geomlin import Algebra, exp, rotor_to_matrix\n\n"
        + _bivector(signature, coefficients)
        + "np.set_printoptions(precision=6, suppress=True)\n"
        "print(rotor_to_matrix(exp(B)) + 0.0)\n"
    )


def lifts(signature: tuple[int, int, int], coefficients: Coefficients) -> str:
    """Both rotors over the same rotation, and their logarithms where they exist."""
    return (
        "from geomlin import Algebra, NoRealLogarithm, exp, log\n\n"
        + _bivector(signature, coefficients)
        + "R = exp(B)\n"
        'for name, rotor in (("+R", R), ("-R", -R)):\n'
        "    try:\n"
        '        print(name, "= exp of", log(rotor))\n'
        "    except NoRealLogarithm as none:\n"
        '        print(name, "has no real logarithm:", none)\n'
    )


def layer(
    signature: tuple[int, int, int], coefficients: Coefficients, blade: str, share: float
) -> str:
    """x -> r x ~s with r = exp(B), s = exp(share B): grades stay apart only for s = r."""
    return (
        "from geomlin import Algebra, exp, geometric_product, reverse\n\n"
        + _bivector(signature, coefficients)
        + f"r, s = exp(B), exp({share!r} * B)\n"
        f'x = alg.blade("{blade}")\n'
        "y = geometric_product(geometric_product(r, x), reverse(s))\n"
        "for name, value in y.as_dict().items():\n"
        "    if abs(value) > 1e-12:\n"
        '        print(f"{name:7} {value:+.12f}")\n'
    )


def output_of(code: str) -> str:
    """What a snippet prints; how numpy prints here stays as it was."""
    printed = io.StringIO()
    with redirect_stdout(printed), np.printoptions():
        exec(compile(code, "<snippet>", "exec"), {"__name__": "__snippet__"})
    return printed.getvalue().rstrip("\n")
