"""Exact proofs: theorems as lists of checked steps, each with a false twin that must fail."""
