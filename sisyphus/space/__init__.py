"""The design space of a kernel on a target, and points in it."""

from sisyphus.space.ahead import ahead_place, faults_ahead, loaded_ahead, may_load_ahead
from sisyphus.space.coarse import copies_depth, factors_of, free_loops
from sisyphus.space.decode import NotADesign, Values, decode, innermost_outside, intervals, knob, level0_order
from sisyphus.space.derive import build_space
from sisyphus.space.encode import choices, encode
from sisyphus.space.factors import Factors
from sisyphus.space.fix import apply_fixes, knob_names
from sisyphus.space.json_places import place_of
from sisyphus.space.point import (
    DIRECT,
    FORMS,
    KERNEL_PLACE,
    NEST_PLACE,
    STREAM,
    BufferPoint,
    DesignPoint,
    NestPoint,
    Tile,
    TransferPoint,
)
from sisyphus.space.point_file import faults_by, few, point_faults
from sisyphus.space.ports import MAX_BEAT_BITS, MAX_BEAT_ELEMENTS, STRIPES, port_names, port_width
from sisyphus.space.precedence import Copies, level0_pairs, never_both, precedence
from sisyphus.space.schedule import illegal, level2_order, schedules
from sisyphus.space.space import (
    DIRECT_BITS,
    ArrayUse,
    DimUse,
    LoopSpace,
    NestSpace,
    Objective,
    Options,
    Space,
    places_around,
)
from sisyphus.space.widths import (
    beat_factor,
    dealt_over_ports,
    form_for,
    in_beats,
    layout_for,
    most_added,
    row_part,
    tile_widths,
)

__all__ = [
    "DIRECT",
    "DIRECT_BITS",
    "FORMS",
    "KERNEL_PLACE",
    "MAX_BEAT_BITS",
    "MAX_BEAT_ELEMENTS",
    "NEST_PLACE",
    "STREAM",
    "STRIPES",
    "ArrayUse",
    "BufferPoint",
    "Copies",
    "DesignPoint",
    "DimUse",
    "Factors",
    "LoopSpace",
    "NestPoint",
    "NestSpace",
    "NotADesign",
    "Objective",
    "Options",
    "Space",
    "Tile",
    "TransferPoint",
    "Values",
    "ahead_place",
    "apply_fixes",
    "beat_factor",
    "build_space",
    "choices",
    "copies_depth",
    "dealt_over_ports",
    "decode",
    "encode",
    "factors_of",
    "faults_ahead",
    "faults_by",
    "few",
    "form_for",
    "free_loops",
    "illegal",
    "in_beats",
    "innermost_outside",
    "intervals",
    "knob",
    "knob_names",
    "layout_for",
    "level0_order",
    "level0_pairs",
    "level2_order",
    "loaded_ahead",
    "may_load_ahead",
    "most_added",
    "never_both",
    "place_of",
    "places_around",
    "point_faults",
    "port_names",
    "port_width",
    "precedence",
    "row_part",
    "schedules",
    "tile_widths",
]
