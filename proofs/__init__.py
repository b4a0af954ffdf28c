"""Exact proofs of the identities that geomlin computes with: one theorem a module, as THEOREM."""
