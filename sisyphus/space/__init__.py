"""The design space of a kernel on a target, and points in it."""

from sisyphus.space.build import build_space
from sisyphus.space.coarse import copies_depth, factors_of, free_loops
from sisyphus.space.factors import Factors
from sisyphus.space.fix import apply_fixes
from sisyphus.space.point import KERNEL_PLACE, NEST_PLACE, BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint
from sisyphus.space.schedule import illegal, level2_order, precedence, schedules
from sisyphus.space.space import ArrayUse, DimUse, LoopSpace, NestSpace, Options, Space, places_around
from sisyphus.space.widths import layout_for, tile_grid, tile_widths

__all__ = [
    "KERNEL_PLACE",
    "NEST_PLACE",
    "ArrayUse",
    "BufferPoint",
    "DesignPoint",
    "DimUse",
    "Factors",
    "LoopSpace",
    "NestPoint",
    "NestSpace",
    "Options",
    "Space",
    "Tile",
    "TransferPoint",
    "apply_fixes",
    "build_space",
    "copies_depth",
    "factors_of",
    "free_loops",
    "illegal",
    "layout_for",
    "level2_order",
    "places_around",
    "precedence",
    "schedules",
    "tile_grid",
    "tile_widths",
]
