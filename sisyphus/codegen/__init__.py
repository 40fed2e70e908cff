"""Printing a Plan: kernel, test bench, host, build files."""

from sisyphus.codegen.folder import is_ours, write_failed, write_folder
from sisyphus.codegen.project import Project, project
from sisyphus.codegen.reference import source_in, whole_text
from sisyphus.codegen.testbench import data_sets

__all__ = ["Project", "data_sets", "is_ours", "project", "source_in", "whole_text", "write_failed", "write_folder"]
