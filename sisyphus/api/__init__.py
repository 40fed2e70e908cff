"""What the command line does, for programs and notebooks: `import sisyphus as sisy` has all of it."""

from sisyphus.api.choosing import Wanted, optimize, optimize_units, request_of
from sisyphus.api.inputs import KernelFile, board, read, source_of
from sisyphus.api.listings import Analysis, Devices, Solvers
from sisyphus.api.telling import analyze, devices, diff, emit, estimate, explain, read_back, resolve, solvers, verify
from sisyphus.design import Design
from sisyphus.doctor import examine

__all__ = [
    "Analysis",
    "Design",
    "Devices",
    "KernelFile",
    "Solvers",
    "Wanted",
    "analyze",
    "board",
    "devices",
    "diff",
    "emit",
    "estimate",
    "examine",
    "explain",
    "optimize",
    "optimize_units",
    "read",
    "read_back",
    "request_of",
    "resolve",
    "solvers",
    "source_of",
    "verify",
]
