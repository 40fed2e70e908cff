"""Elements of a tile as a signomial of the chosen trip counts; knows no cost."""

from __future__ import annotations

from sisyphus.nlp.knobs import outside_name
from sisyphus.nlp.signomial import Signomial
from sisyphus.space import ArrayUse, NestSpace


def footprint(nest: NestSpace, use: ArrayUse) -> Signomial:
    """Elements of a tile: the product over dimensions of a sum of loop sizes, loops outside the transfer fixed."""
    total = Signomial.constant(1)
    for dim in use.dims:
        if dim.coefficients is None:
            total = total * dim.extent
            continue
        span = Signomial.constant(dim.constant)
        for loop, coefficient in dim.coefficients:
            size = Signomial.constant(coefficient * nest.loop(loop).trip_count)
            span = span + size.inverse_of([outside_name(nest, loop, use.array)])
        total = total * span
    return total


def whole_footprint(nest: NestSpace, use: ArrayUse) -> float:
    """The value of `footprint` where no loop is outside."""
    total = 1
    for dim in use.dims:
        if dim.coefficients is None:
            total *= dim.extent
        else:
            total *= dim.constant + sum(c * nest.loop(loop).trip_count for loop, c in dim.coefficients)
    return total
