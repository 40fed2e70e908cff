"""Printing a Plan: kernel, test bench, host, build files."""

from sisyphus.backends.hls.folder import DESIGN, check_folder, is_ours, write_failed, write_folder
from sisyphus.backends.hls.handing_over import handings
from sisyphus.backends.hls.identifiers import of_stripe, plan_names
from sisyphus.backends.hls.interface import bundles
from sisyphus.backends.hls.project import Project, project
from sisyphus.backends.hls.quoting import one_line
from sisyphus.backends.hls.reference import BENCH_FLAGS, SAME_ARITHMETIC, exact_flags, heading, source_in, whole_text
from sisyphus.backends.hls.testbench import FLUSHED, data_sets
from sisyphus.backends.hls.unit_programs import UnitProgram, whole_of
from sisyphus.backends.hls.units import unit_project

__all__ = [
    "BENCH_FLAGS",
    "DESIGN",
    "FLUSHED",
    "SAME_ARITHMETIC",
    "Project",
    "UnitProgram",
    "bundles",
    "check_folder",
    "data_sets",
    "exact_flags",
    "handings",
    "heading",
    "is_ours",
    "of_stripe",
    "one_line",
    "plan_names",
    "project",
    "source_in",
    "unit_project",
    "whole_of",
    "whole_text",
    "write_failed",
    "write_folder",
]
