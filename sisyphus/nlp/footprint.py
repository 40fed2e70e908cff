"""Elements of a tile as a signomial of the chosen trip counts; knows no cost."""

from __future__ import annotations

from sisyphus.algebra import product
from sisyphus.nlp.knobs import outside_name
from sisyphus.nlp.signomial import Signomial
from sisyphus.space import ArrayUse, NestSpace


def footprint(nest: NestSpace, use: ArrayUse) -> Signomial:
    """Elements of a tile: the product over dimensions of a sum of loop sizes, loops outside the transfer fixed."""
    sizes = {
        loop: Signomial.constant(nest.loop(loop).trip_count).inverse_of([outside_name(nest, loop, use.array)])
        for loop in dict.fromkeys(loop for dim in use.dims for loop in dim.loops)
    }
    return Signomial.of(product([dim.reach(sizes) for dim in use.dims]))


def whole_footprint(nest: NestSpace, use: ArrayUse) -> float:
    """The value of `footprint` where no loop is outside."""
    sizes = {loop.iterator: loop.trip_count for loop in nest.loops}
    return float(product([dim.reach(sizes) for dim in use.dims]))
