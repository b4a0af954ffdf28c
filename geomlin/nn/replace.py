"""Exchange submodules of a model by name."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from torch import nn

from ..errors import LayoutError


def replace_(
    module: nn.Module, pattern: str, factory: Callable[[nn.Linear], nn.Module]
) -> dict[str, nn.Module]:
    """Replace the linear layers whose dotted names match a pattern, in place.

    Parameters
    ----------
    module : the model; changed.
    pattern : of names as in module.named_modules(), with * ? [..]; * matches dots too.
    factory : makes the new module from the old torch.nn.Linear; it may read its widths, its weight,
        its device.  A layer that occurs under several names is made once and stays shared.

    Returns
    -------
    The old layers by name, in the order of the model, for comparison or to put them back.

    Raises
    ------
    LayoutError if no linear layer matches, or the module itself is the layer; nothing is changed if
    the factory fails.

    Examples
    --------
    >>> from torch import nn
    >>> from geomlin.nn import RotorLinear, replace_
    >>> model = nn.Sequential(nn.Linear(256, 256), nn.PReLU(), nn.Linear(256, 10))
    >>> old = replace_(model, "0", lambda layer: RotorLinear(
    ...     layer.in_features, layer.out_features, bias=layer.bias is not None))
    >>> list(old), type(model[0]).__name__
    (['0'], 'RotorLinear')
    """
    found = {
        name: layer
        for name, layer in module.named_modules(remove_duplicate=False)
        if isinstance(layer, nn.Linear) and fnmatchcase(name, pattern)
    }
    if "" in found:
        raise LayoutError(
            "expected a model that contains the layer, got the layer itself: it cannot be "
            "replaced in place"
        )
    if not found:
        names = [n for n, layer in module.named_modules() if isinstance(layer, nn.Linear)]
        raise LayoutError(
            f"expected a pattern that matches a linear layer, got {pattern!r}; there are "
            f"{len(names)}: {', '.join(names[:8])}{' ..' if len(names) > 8 else ''}"
        )
    made: dict[int, nn.Module] = {}
    for layer in found.values():
        if id(layer) not in made:
            made[id(layer)] = factory(layer)
    for name, layer in found.items():
        module.set_submodule(name, made[id(layer)])
    return dict(found)
