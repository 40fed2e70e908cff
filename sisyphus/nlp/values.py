"""Reading a solved Pyomo model by the names of its knobs."""

from __future__ import annotations

import pyomo.environ as pyo

from sisyphus.space import knob


def binary_values(model: pyo.ConcreteModel) -> dict[str, int]:
    """Every binary variable that has a value, rounded, as `component[index,…]`."""
    values = {}
    for component in model.component_objects(pyo.Var):
        for index, variable in component.items():
            if variable.is_binary() and variable.value is not None:
                parts = index if isinstance(index, tuple) else (index,)
                values[knob(component.local_name, *parts)] = round(variable.value)
    return values
