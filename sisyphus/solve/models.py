"""What adapters need to read and write Pyomo models; they import it where they solve one, not before."""

from sisyphus.nlp.nl import NlFile, binary_values, write_nl

__all__ = ["NlFile", "binary_values", "write_nl"]
