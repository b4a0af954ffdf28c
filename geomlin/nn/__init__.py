"""Rotor layers and their rivals for torch: `RotorLinear` in the place of `torch.nn.Linear`."""

from ..errors import BackendMissing

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise BackendMissing(
        "geomlin.nn needs torch, which is not installed: pip install 'geomlin[nn]'", extra="nn"
    ) from error

from .block_hadamard import BlockHadamardLinear as BlockHadamardLinear
from .hadamard import hadamard_transform as hadamard_transform
from .layer_planes import LayerPlanes as LayerPlanes
from .low_rank import LowRankLinear as LowRankLinear
from .network import RotorNetwork as RotorNetwork
from .published import PowerIteration as PowerIteration
from .published import power_iteration_decomposition as power_iteration_decomposition
from .replace import replace_ as replace_
from .rotor_linear import RotorLinear as RotorLinear
from .storage import load_parameters_ as load_parameters_
from .storage import save_parameters as save_parameters
