"""Lower bounds of the measured rules."""
