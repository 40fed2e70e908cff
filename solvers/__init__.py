"""Solver adapters, one file each; found through the entry-point group `sisyphus.solvers`."""
