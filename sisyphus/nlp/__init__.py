"""The cost formulas and constraints of a design space as a Pyomo model, and its answers as design points."""

from sisyphus.nlp.knobs import Knobs
from sisyphus.nlp.values import binary_values
from sisyphus.space import Values, decode, knob

__all__ = ["Knobs", "Values", "binary_values", "decode", "knob"]
