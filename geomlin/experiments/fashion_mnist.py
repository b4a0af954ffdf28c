"""Fashion-MNIST: 60000 + 10000 pictures of clothes, 28 x 28, ten classes.

    H. Xiao, K. Rasul, R. Vollgraf, "Fashion-MNIST: a novel image dataset for benchmarking machine
    learning algorithms", arXiv:1708.07747 (2017).

The four files are taken from a folder that is given, from Debian's package
`dataset-fashion-mnist`, from an earlier download, or from the address that torchvision uses.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import urllib.request
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..errors import DatasetMissing, LayoutError

CLASSES = (
    "T-shirt", "trouser", "pullover", "dress", "coat",
    "sandal", "shirt", "sneaker", "bag", "boot",
)  # fmt: skip
DEBIAN = Path("/usr/share/datasets/fashion-mnist")
ADDRESS = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
FILES = {
    "train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "train-labels-idx1-ubyte.gz": "25c81989df183df01b3e8a0aad5dffbe",
    "t10k-images-idx3-ubyte.gz": "bef4ecab320f06d8554ea6380940ec79",
    "t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
}
VALIDATION = 10_000  # of the training pictures, the last ones: settings are chosen on these


class Split(NamedTuple):
    """Pictures (count, 784), standardised, and their classes."""

    pictures: Tensor
    classes: Tensor


class FashionMnist(NamedTuple):
    """The three splits; the mean and deviation of the training pixels standardise all of them."""

    train: Split
    validation: Split
    test: Split


def folder(given: Path | None, *, address: str = ADDRESS) -> Path:
    """The folder that holds the four files, downloaded if need be."""
    if given is not None:
        missing = [name for name in FILES if not (given / name).exists()]
        if missing:
            raise DatasetMissing(f"expected {', '.join(FILES)} in {given}, {missing[0]} is missing")
        return given
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "geomlin"
    for place in (DEBIAN, cache / "fashion-mnist"):
        if all((place / name).exists() for name in FILES):
            return place
    return download(cache / "fashion-mnist", address)


def download(target: Path, address: str = ADDRESS) -> Path:
    """Fetch the files that are missing, each checked against its digest before it gets its name."""
    target.mkdir(parents=True, exist_ok=True)
    for name, digest in FILES.items():
        if (target / name).exists():
            continue
        try:
            with urllib.request.urlopen(address + name, timeout=60) as answer:
                content = answer.read()
        except OSError as error:
            raise DatasetMissing(
                f"cannot fetch {address + name} ({error}): give the folder with --data, or install "
                "Debian's dataset-fashion-mnist"
            ) from error
        found = hashlib.md5(content, usedforsecurity=False).hexdigest()
        if found != digest:
            raise DatasetMissing(f"{address + name}: expected MD5 {digest}, got {found}")
        part = target / (name + ".part")
        part.write_bytes(content)
        os.replace(part, target / name)
    return target


def read_idx(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """An array of bytes in the IDX format: two zeros, type 8, rank, sizes, then the data."""
    try:
        with gzip.open(path) as file:
            content = file.read()
    except (OSError, EOFError) as error:
        raise LayoutError(f"expected a whole gzip file in {path}: {error}") from error
    if len(content) < 4 or content[:3] != b"\0\0\x08":
        raise LayoutError(f"expected an IDX file of bytes in {path}, got {content[:4]!r}")
    rank = content[3]
    sizes = np.frombuffer(content, ">u4", rank, 4)
    data = np.frombuffer(content, np.uint8, offset=4 + 4 * rank)
    if data.size != np.prod(sizes):
        raise LayoutError(f"expected {np.prod(sizes)} bytes of data in {path}, got {data.size}")
    return data.reshape(sizes)


def load(place: Path) -> FashionMnist:
    """Read, split and standardise."""
    pictures, classes, test_pictures, test_classes = (read_idx(place / name) for name in FILES)
    train = torch.tensor(pictures.reshape(len(pictures), -1), dtype=torch.float32)
    test = torch.tensor(test_pictures.reshape(len(test_pictures), -1), dtype=torch.float32)
    mean, deviation = train[:-VALIDATION].mean(), train[:-VALIDATION].std()
    train, test = (train - mean) / deviation, (test - mean) / deviation
    known = torch.tensor(classes, dtype=torch.long)
    return FashionMnist(
        Split(train[:-VALIDATION], known[:-VALIDATION]),
        Split(train[-VALIDATION:], known[-VALIDATION:]),
        Split(test, torch.tensor(test_classes, dtype=torch.long)),
    )
