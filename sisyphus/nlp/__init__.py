"""The cost formulas and constraints of a design space as a Pyomo model, and its answers as design points."""

from sisyphus.nlp.decode import Values, decode, knob
from sisyphus.nlp.knobs import Knobs
from sisyphus.nlp.values import binary_values

__all__ = ["Knobs", "Values", "binary_values", "decode", "knob"]
