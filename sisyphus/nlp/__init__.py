"""Optimization problems as Pyomo models: the paper's, in its formulas, and the choice between counted candidates."""
