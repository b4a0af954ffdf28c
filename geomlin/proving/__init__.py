"""Exact proofs: theorems as lists of checked steps, each with a false twin that must fail."""

from . import operations as operations  # symbolic multivectors answer through it
