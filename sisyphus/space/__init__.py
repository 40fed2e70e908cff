"""The design space of a kernel on a target, and points in it."""

from sisyphus.space.adders import added_in, added_types, may_add_in_fabric
from sisyphus.space.ahead import ahead_place, faults_ahead, loaded_ahead, may_load_ahead
from sisyphus.space.choices import (
    Choices,
    NestChoices,
    NotADesign,
    choices,
    decode,
    innermost_outside,
    intervals,
    level0_order,
    serving_factor,
)
from sisyphus.space.coarse import copies_depth, factors_of, free_loops
from sisyphus.space.derive import build_space
from sisyphus.space.factors import Factors
from sisyphus.space.fix import apply_fixes, knob_names, levers_off
from sisyphus.space.json_places import place_of
from sisyphus.space.listed import faults_listed, may_be_listed
from sisyphus.space.plain import plain_points
from sisyphus.space.point import (
    FORMS,
    KERNEL_PLACE,
    NEST_PLACE,
    PADDED,
    PLAIN,
    STREAM,
    BufferPoint,
    DesignPoint,
    NestPoint,
    Tile,
    TransferPoint,
    point_faults,
    unlisted,
)
from sisyphus.space.point_file import Fault, faults_by, few
from sisyphus.space.ports import MAX_BEAT_BITS, MAX_BEAT_ELEMENTS, STRIPES, port_names, port_width
from sisyphus.space.precedence import Copies, level0_pairs, never_both, precedence
from sisyphus.space.schedule import illegal, level2_order
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
from sisyphus.space.stripes import RowUse, dealt_over_ports, long_arrays
from sisyphus.space.widths import (
    beat_factor,
    form_for,
    in_beats,
    layout_for,
    most_added,
    row_part,
    tile_widths,
)

__all__ = [
    "DIRECT_BITS",
    "FORMS",
    "KERNEL_PLACE",
    "MAX_BEAT_BITS",
    "MAX_BEAT_ELEMENTS",
    "NEST_PLACE",
    "PADDED",
    "PLAIN",
    "STREAM",
    "STRIPES",
    "ArrayUse",
    "BufferPoint",
    "Choices",
    "Copies",
    "DesignPoint",
    "DimUse",
    "Factors",
    "Fault",
    "LoopSpace",
    "NestChoices",
    "NestPoint",
    "NestSpace",
    "NotADesign",
    "Objective",
    "Options",
    "RowUse",
    "Space",
    "Tile",
    "TransferPoint",
    "added_in",
    "added_types",
    "ahead_place",
    "apply_fixes",
    "beat_factor",
    "build_space",
    "choices",
    "copies_depth",
    "dealt_over_ports",
    "decode",
    "factors_of",
    "faults_ahead",
    "faults_by",
    "faults_listed",
    "few",
    "form_for",
    "free_loops",
    "illegal",
    "in_beats",
    "innermost_outside",
    "intervals",
    "knob_names",
    "layout_for",
    "level0_order",
    "level0_pairs",
    "level2_order",
    "levers_off",
    "loaded_ahead",
    "long_arrays",
    "may_add_in_fabric",
    "may_be_listed",
    "may_load_ahead",
    "most_added",
    "never_both",
    "place_of",
    "places_around",
    "plain_points",
    "point_faults",
    "port_names",
    "port_width",
    "precedence",
    "row_part",
    "serving_factor",
    "tile_widths",
    "unlisted",
]
