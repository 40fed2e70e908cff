"""isl by dimension name: the only door to islpy."""

from sisyphus.poly.affine import Affine, const, var
from sisyphus.poly.sets import (
    IslError,
    Map,
    Set,
    constraints,
    dim_names,
    dim_range,
    each_point,
    empty_set,
    fix,
    leash,
    make_map,
    make_set,
    position,
    project_onto,
    sample,
    within,
)

__all__ = [
    "Affine",
    "IslError",
    "Map",
    "Set",
    "const",
    "constraints",
    "dim_names",
    "dim_range",
    "each_point",
    "empty_set",
    "fix",
    "leash",
    "make_map",
    "make_set",
    "position",
    "project_onto",
    "sample",
    "var",
    "within",
]
