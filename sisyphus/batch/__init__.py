"""Many designs in one run: resumable, in parallel or on a cluster."""

from sisyphus.batch.compare import Change, changes
from sisyphus.batch.executors import Place, run_all
from sisyphus.batch.jobs import Job, Result, run_job
from sisyphus.batch.pages import page, tables
from sisyphus.batch.results import Results
from sisyphus.batch.sweep import Sweep, jobs_of, read_sweep

__all__ = [
    "Change",
    "Job",
    "Place",
    "Result",
    "Results",
    "Sweep",
    "changes",
    "jobs_of",
    "page",
    "read_sweep",
    "run_all",
    "run_job",
    "tables",
]
