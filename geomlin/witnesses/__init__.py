"""Other libraries as witnesses: the same statements, computed by somebody else's code."""
