"""Many designs in one run: resumable, in parallel or on a cluster."""

from sisyphus.batch.compare import JobChange, changes, missing
from sisyphus.batch.executors import Workers, run_all
from sisyphus.batch.jobs import Job, JobResult
from sisyphus.batch.pages import page, tables
from sisyphus.batch.results import Results
from sisyphus.batch.sweep import Sweep, jobs_of, left_out, read_sweep

__all__ = [
    "Job",
    "JobChange",
    "JobResult",
    "Results",
    "Sweep",
    "Workers",
    "changes",
    "jobs_of",
    "left_out",
    "missing",
    "page",
    "read_sweep",
    "run_all",
    "tables",
]
