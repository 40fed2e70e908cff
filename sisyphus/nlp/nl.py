"""A Pyomo model as an AMPL .nl file, the numbers that come back for its columns, and its knobs; knows no solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
from pyomo.repn.plugins.nl_writer import NLWriter

from sisyphus.nlp.values import knob_of
from sisyphus.values import dataclass


@dataclass(frozen=True, eq=False)
class NlFile:
    """A written model; column j of the file is `columns[j]`, named `x<j>` in the .col file beside it.

    Knobs that are fixed have no column.
    """

    model: pyo.ConcreteModel
    path: Path
    columns: tuple[Any, ...]

    def binaries(self, values: Sequence[float]) -> dict[str, int]:
        """The binary knobs, rounded, from a value per column, and those that are fixed."""
        pairs = zip(self.columns, values, strict=True)
        found = {knob_of(variable): round(value) for variable, value in pairs if variable.is_binary()}
        for variable in self.model.component_data_objects(pyo.Var):
            if variable.fixed and variable.is_binary():
                found[knob_of(variable)] = round(pyo.value(variable))
        return found

    def all(self, values: Sequence[float]) -> dict[str, float]:
        """Every knob as it is."""
        return {knob_of(v): float(value) for v, value in zip(self.columns, values, strict=True)}

    def objective(self, values: Sequence[float]) -> float:
        """The objective of a point given by its columns, which are left in the model."""
        for variable, value in zip(self.columns, values, strict=True):
            variable.set_value(value, skip_validation=True)
        [objective] = self.model.component_data_objects(pyo.Objective, active=True)
        return float(pyo.value(objective))

    def start(self, values: Mapping[str, int]) -> dict[int, int]:
        """Columns of the knobs that have a value to start from."""
        names = {knob_of(variable): j for j, variable in enumerate(self.columns) if variable.is_binary()}
        return {names[name]: value for name, value in values.items() if name in names}


def write_nl(model: pyo.ConcreteModel, folder: Path) -> NlFile:
    """Writes `model.nl` and `model.col` to a folder, with every variable that the model uses and is not fixed."""
    path = folder / "model.nl"
    with path.open("w", encoding="utf-8", newline="") as stream:
        info = NLWriter().write(model, stream, linear_presolve=False)
    columns = tuple(info.variables)
    path.with_suffix(".col").write_text("".join(f"x{j}\n" for j in range(len(columns))), encoding="utf-8")
    return NlFile(model, path, columns)


def binary_values(model: pyo.ConcreteModel) -> dict[str, int]:
    """The binary knobs of a solved model, rounded, as far as they have a value."""
    variables = model.component_data_objects(pyo.Var)
    return {knob_of(v): round(v.value) for v in variables if v.is_binary() and v.value is not None}
