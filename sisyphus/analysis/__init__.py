"""Dependences, reductions, legality, footprints and distribution of a scop."""

from sisyphus.analysis.chains import longest_chain
from sisyphus.analysis.dataflow import Flow, Sources, flows, same_sources, schedules, sources_of
from sisyphus.analysis.dealing import Dealer, Dealt, Share, work_of
from sisyphus.analysis.dependence import Dependence, Dependences, DepKind, dependences, in_order
from sisyphus.analysis.distribution import Distribution, Loop, LoopKind, Nest, OuterLoop, distribute, innermost, paths
from sisyphus.analysis.evaluations import evaluations
from sisyphus.analysis.expansion import expand, expand_inside, privatise, privatised
from sisyphus.analysis.footprint import (
    Box,
    count_or_none,
    elements_touched,
    float_operations,
    footprint,
    footprints,
    instances,
    operations,
    total_operations,
)
from sisyphus.analysis.legality import ViolatedDependence, each_legal_order, is_legal, legal_orders, violations
from sisyphus.analysis.liveness import Live, liveness
from sisyphus.analysis.nest_refs import elements_updated, refs_of, refs_to
from sisyphus.analysis.phases import Cut, Phase, apart, cuts, handed_over, phase_of
from sisyphus.analysis.reduction import Reduction, reduction_of, runs_in_any_order
from sisyphus.analysis.restriction import Restricted, restricted
from sisyphus.analysis.rewrite import Expansion
from sisyphus.analysis.slabs import Dealing
from sisyphus.analysis.statement_text import statement_text
from sisyphus.analysis.streams import Stream, deadlock
from sisyphus.analysis.summary import statement_graph_dot, summary
from sisyphus.analysis.sums import sums_of
from sisyphus.analysis.views import View, Viewed, freed, read_at_once, with_copies, with_views

__all__ = [
    "Box",
    "Cut",
    "Dealer",
    "Dealing",
    "Dealt",
    "DepKind",
    "Dependence",
    "Dependences",
    "Distribution",
    "Expansion",
    "Flow",
    "Live",
    "Loop",
    "LoopKind",
    "Nest",
    "OuterLoop",
    "Phase",
    "Reduction",
    "Restricted",
    "Share",
    "Sources",
    "Stream",
    "View",
    "Viewed",
    "ViolatedDependence",
    "apart",
    "count_or_none",
    "cuts",
    "deadlock",
    "dependences",
    "distribute",
    "each_legal_order",
    "elements_touched",
    "elements_updated",
    "evaluations",
    "expand",
    "expand_inside",
    "float_operations",
    "flows",
    "footprint",
    "footprints",
    "freed",
    "handed_over",
    "in_order",
    "innermost",
    "instances",
    "is_legal",
    "legal_orders",
    "liveness",
    "longest_chain",
    "operations",
    "paths",
    "phase_of",
    "privatise",
    "privatised",
    "read_at_once",
    "reduction_of",
    "refs_of",
    "refs_to",
    "restricted",
    "runs_in_any_order",
    "same_sources",
    "schedules",
    "sources_of",
    "statement_graph_dot",
    "statement_text",
    "summary",
    "sums_of",
    "total_operations",
    "violations",
    "with_copies",
    "with_views",
    "work_of",
]
