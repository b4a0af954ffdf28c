"""Pictures in one style: colours that everybody can tell apart, and axes that say what they show.

The colours are those of M. Okabe and K. Ito, "Color Universal Design" (2002).  matplotlib is
imported when the first picture is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import BackendMissing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BLACK = "#CC79A7", "#56B4E9", "#000000"
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK)
DIVERGING = "PuOr"  # for signed matrices: legible without red and green


def figure(columns: int = 1, *, width: float = 4.2, height: float = 3.6, **axes: Any) -> Any:
    """A figure with `columns` axes side by side; `axes` go to each (projection="3d", ...)."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise BackendMissing(
            "pictures need the package 'matplotlib': pip install 'geomlin[plot]'", extra="plot"
        ) from error
    return pyplot.subplots(
        1,
        columns,
        figsize=(width * columns, height),
        layout="constrained",
        subplot_kw=axes or None,
    )


def matrix(axes: Axes, values: ArrayLike, title: str, *, limit: float | None = None) -> Any:
    """Draw a signed matrix, white at zero, on a scale that is symmetric about it."""
    import numpy as np

    array = np.asarray(values, dtype=float)
    largest = float(np.abs(array).max(initial=0.0)) if limit is None else limit
    image = axes.imshow(array, cmap=DIVERGING, vmin=-largest, vmax=largest, interpolation="nearest")
    axes.set(title=title, xticks=[], yticks=[])
    return image


def save(picture: Figure, path: str) -> None:
    """Write a picture without the time of day, so that equal pictures are equal files."""
    metadata = {"Date": None} if path.endswith(".svg") else {"Software": None}
    picture.savefig(path, dpi=150, metadata=metadata)
