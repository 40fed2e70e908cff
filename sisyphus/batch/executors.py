"""Running the jobs of a batch side by side: here, on a Dask cluster, or through a queue; knows no result's meaning.

Every place is an executor of `concurrent.futures`, so that a job runs the same way everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from sisyphus.batch.jobs import Job, JobResult, is_there, run_job, synthesized, synthesizer_missing
from sisyphus.batch.results import Results
from sisyphus.errors import ToolError, UsageError
from sisyphus.tools import end_all, find_tool
from sisyphus.values import dataclass, replace

#: Classes of dask-jobqueue by the name of their queue.
QUEUES = {"slurm": "SLURMCluster", "lsf": "LSFCluster", "pbs": "PBSCluster"}
#: A job is one process that searches, and compilers one after another.
DEFAULT_WORKER: Mapping[str, Any] = {"cores": 1, "memory": "8GB"}
INSTALL = "pip install 'sisyphus-hls[cluster]'"


@dataclass(frozen=True)
class Workers:
    """Where jobs run: `workers` at a time here; or on the Dask scheduler at `dask`; or by way of a `queue`."""

    workers: int = 1
    dask: str | None = None
    queue: str | None = None

    @property
    def is_here(self) -> bool:
        """The jobs run on this machine, with its programs."""
        return self.dask is None and self.queue is None


#: Told of every result as it comes, and whether it was known from before.
Hear = Callable[[JobResult, bool], None]


def run_all(jobs: Sequence[Job], out: Path, place: Workers, hear: Hear, *, synthesize: bool = False) -> list[JobResult]:
    """The results of all jobs in their order. Those known from an earlier run of the same inputs are not run again.

    Each result is on disk before it is heard of; in the end `results.jsonl` has exactly these, in the same order.
    `ToolError` where designs are to be synthesized here and there is no Vitis HLS, before anything runs.
    """
    if synthesize and place.is_here and synthesizer_missing():
        raise ToolError(
            "`--synthesize` needs Vitis HLS: neither `v++` with `vitis-run` nor `vitis_hls` is on PATH",
            hint="source settings64.sh of Vitis, or leave `--synthesize` for a later run: it repeats no search",
        )
    store = Results(out)
    store.repair()
    known = {result.key: result for result in store.read() if is_there(result, out)}
    found: dict[str, JobResult] = {}
    waiting: list[Job] = []
    made: list[JobResult] = []
    for job in jobs:
        earlier = known.get(job.key)
        if earlier is None or not (earlier.is_final or earlier.has_design):
            waiting.append(job)
        elif synthesize and earlier.has_design and earlier.reported is None:
            made.append(earlier)
        else:
            found[job.name] = replace(earlier, exit_code=0, message="") if earlier.has_design else earlier
            hear(found[job.name], True)
    with _executor(place) as executor:
        futures = [executor.submit(run_job, job, str(out), synthesize) for job in waiting]
        futures += [executor.submit(synthesized, result, str(out)) for result in made]
        try:
            for future in as_completed(futures):
                result = future.result()
                store.append(result)
                found[result.name] = result
                hear(result, False)
        except BaseException:
            for future in futures:
                future.cancel()
            raise
    results = [found[job.name] for job in jobs]
    store.replace(results)
    return results


@contextmanager
def _executor(place: Workers) -> Iterator[Executor]:
    if place.is_here:
        with ThreadPoolExecutor(place.workers) as pool:
            try:
                yield pool
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                end_all()  # the pool waits for its threads, and these for the programs that they run
                raise
        return
    with _client(place) as client:
        yield client.get_executor(pure=False, retries=3)


@contextmanager
def _client(place: Workers) -> Iterator[Any]:
    """A client of the cluster; a queue's jobs end with it."""
    connect = _named("distributed", "Client")
    if place.dask is not None:
        try:
            client = connect(place.dask, timeout="10s")
        except (OSError, ValueError) as failure:
            raise UsageError(f"no Dask scheduler at `{place.dask}`: {failure}", hint="as in tcp://host:8786") from None
        with client:
            yield client
        return
    with queue_cluster(place.queue or "") as cluster:
        submit = cluster.job_cls.submit_command
        if find_tool(submit) is None:
            raise ToolError(
                f"`{submit}` was not found, so that no worker can be started",
                hint="run this where jobs are submitted, or give an existing cluster with `--dask`",
            )
        cluster.scale(place.workers)
        with connect(cluster) as client:
            yield client


def queue_cluster(queue: str) -> Any:
    """Workers as large as dask-jobqueue's own configuration says, else as `DEFAULT_WORKER`."""
    make = _named("dask_jobqueue", QUEUES[queue])
    from dask import config

    told = {name: config.get(f"jobqueue.{queue}.{name}", None) for name in DEFAULT_WORKER}
    return make(**{name: told[name] or size for name, size in DEFAULT_WORKER.items()})


def _named(package: str, name: str) -> Any:
    """A class of an optional package."""
    try:
        return getattr(import_module(package), name)
    except ImportError:
        raise ToolError(f"a cluster needs the Python package `{package.replace('_', '-')}`", hint=INSTALL) from None
