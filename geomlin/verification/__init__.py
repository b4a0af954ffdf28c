"""Checking geomlin: budgets, adversarial regimes, the high-precision reference, accuracy tables."""
