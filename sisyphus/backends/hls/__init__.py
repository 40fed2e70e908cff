"""Printing a Plan: kernel, test bench, host, build files."""

from sisyphus.backends.hls.folder import DESIGN, check_folder, is_ours, write_failed, write_folder
from sisyphus.backends.hls.identifiers import plan_names
from sisyphus.backends.hls.project import Project, project
from sisyphus.backends.hls.quoting import one_line
from sisyphus.backends.hls.reference import BENCH_FLAGS, SAME_ARITHMETIC, exact_flags, heading, source_in, whole_text
from sisyphus.backends.hls.testbench import FLUSHED, data_sets

__all__ = [
    "BENCH_FLAGS",
    "DESIGN",
    "FLUSHED",
    "SAME_ARITHMETIC",
    "Project",
    "check_folder",
    "data_sets",
    "exact_flags",
    "heading",
    "is_ours",
    "one_line",
    "plan_names",
    "project",
    "source_in",
    "whole_text",
    "write_failed",
    "write_folder",
]
