"""What a batch consists of: kernels x data sets x devices x budgets x tree reduction; runs nothing.

A sweep as a file:

    [sweep]
    kernels = ["kernels/polybench"]       # files, or folders of them
    sets = ["MINI", "MEDIUM"]             # of the sizes.toml beside the kernels
    devices = ["u200", "my_board.toml"]
    tree_reduction = "both"               # "no", "yes" or "both"
    options = ["--time-limit", "20s"]     # of `sisy optimize`, for all

    [sweep.budgets]
    whole = []
    small = ["--dsp", "2000", "--mem", "2MB"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sisyphus.batch.jobs import Job
from sisyphus.errors import UsageError
from sisyphus.target import load_device, parse_toml
from sisyphus.values import dataclass, field, fields

#: The file that names the data sets of the kernels beside it.
SIZES = "sizes.toml"
TREES: Mapping[str, tuple[bool, ...]] = {"no": (False,), "yes": (True,), "both": (False, True)}


@dataclass(frozen=True)
class Sweep:
    """The axes of a batch. `sets` may be empty: kernels are then taken as they are written.

    `budgets` are more options per name; `timeout_s` is for each job as a whole.
    """

    kernels: tuple[str, ...]
    sets: tuple[str, ...] = ()
    devices: tuple[str, ...] = ("u200",)
    tree_reduction: str = "no"
    options: tuple[str, ...] = ()
    budgets: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"": ()})
    timeout_s: float | None = None


def read_sweep(path: Path) -> Sweep:
    """The sweep in a TOML file; `UsageError` names the file and what is wrong."""
    try:
        table = parse_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        raise UsageError(f"{path}: {wrong}", hint="a sweep is a TOML file with a table [sweep]") from wrong
    known = {f.name for f in fields(Sweep)}
    sweep = table.get("sweep")
    if not isinstance(sweep, dict) or set(table) != {"sweep"}:
        raise UsageError(f"{path}: a sweep has one table, [sweep]")
    for name in sweep:
        if name not in known:
            raise UsageError(f"{path}: `{name}` is no key of [sweep]", hint=f"there are {', '.join(sorted(known))}")
    if "kernels" not in sweep:
        raise UsageError(f"{path}: [sweep] names no `kernels`", hint='as in kernels = ["kernels/polybench"]')
    return Sweep(**{name: _value(path, name, value) for name, value in sweep.items()})


def _value(path: Path, name: str, value: Any) -> Any:
    """A value of the table in the type of its field."""
    if name == "tree_reduction":
        if value not in TREES:
            raise UsageError(f"{path}: `tree_reduction` is one of {', '.join(TREES)}")
        return value
    if name == "timeout_s":
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise UsageError(f"{path}: `timeout_s` is a number of seconds")
        return float(value)
    if name == "budgets":
        if not isinstance(value, dict) or not value:
            raise UsageError(f"{path}: `budgets` is a table of lists of options", hint='as in small = ["--dsp", "500"]')
        return {key: _words(path, f"budgets.{key}", words) for key, words in value.items()}
    return _words(path, name, value)


def _words(path: Path, name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise UsageError(f"{path}: `{name}` is a list of strings")
    return tuple(value)


def jobs_of(sweep: Sweep) -> list[Job]:
    """Every job of a sweep, in a fixed order, each with a name and a folder of its own.

    A kernel without one of the sets is left out for that set (`left_out` names it). `UsageError` where no kernel has a
    set, `KernelError` where there is no such device: no job of it would come to anything.
    """
    for device in sweep.devices:
        load_device(device)
    known = {path: _sets(path) for path in _all_kernels(sweep)}
    for wanted in sweep.sets:
        if not any(wanted in sets for sets in known.values()):
            names = sorted({name for sets in known.values() for name in sets})
            raise UsageError(f"no kernel has a data set `{wanted}`", hint=f"there are {', '.join(names) or 'none'}")
    jobs = [job for path, sets in known.items() for job in _jobs(path, sets, sweep)]
    if not jobs:
        raise UsageError(f"no kernel in {', '.join(sweep.kernels)}", hint="name C files, or folders of them")
    names = [job.name for job in jobs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two jobs are called `{name}`", hint="kernels of one batch need names of their own")
    return jobs


def left_out(sweep: Sweep) -> list[str]:
    """Why some kernels have no job for some sets, a sentence for each set that not all have."""
    kernels = _all_kernels(sweep)
    told = []
    for wanted in sweep.sets:
        without = [str(path) for path in kernels if wanted not in _sets(path)]
        if without:
            told.append(f"{', '.join(without)}: left out, as {SIZES} beside it gives no sizes for {wanted}")
    return told


def _all_kernels(sweep: Sweep) -> list[Path]:
    return [found for path in sweep.kernels for found in _kernels(Path(path))]


def _kernels(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(path.glob("*.c"))
    if not path.is_file():
        hint = "name C files, or folders of them"
        if str(path).startswith("-"):  # the command line takes options that it does not know for kernels
            hint = f"a word for `sisy optimize` is given as `--option={path}`"
        raise UsageError(f"{path}: no such file or folder", hint=hint)
    return [path]


def _sets(kernel: Path) -> Mapping[str, Mapping[str, int]]:
    """The data sets of a kernel: macros and their values, by name."""
    sizes = kernel.parent / SIZES
    try:
        found = parse_toml(sizes.read_text(encoding="utf-8")).get(kernel.stem, {}) if sizes.is_file() else {}
    except (OSError, ValueError) as wrong:
        raise UsageError(f"{sizes}: {wrong}") from wrong
    return found if isinstance(found, dict) else {}


def _jobs(path: Path, sets: Mapping[str, Mapping[str, int]], sweep: Sweep) -> Iterator[Job]:
    for chosen in [name for name in sweep.sets if name in sets] if sweep.sets else [""]:
        macros = [word for name, value in sets.get(chosen, {}).items() for word in ("-D", f"{name}={value}")]
        for device in sweep.devices:
            for budget, amounts in sweep.budgets.items():
                for tree in TREES[sweep.tree_reduction]:
                    labels = {
                        "kernel": path.stem,
                        "set": chosen,
                        "device": Path(device).stem,
                        "budget": budget,
                        "tree": "tree" if tree else "",
                    }
                    options = [*macros, "--device", device, *amounts, *sweep.options, *["--tree-reduction"] * tree]
                    yield _job(path, labels, options, sweep.timeout_s)


def _job(path: Path, labels: Mapping[str, str], options: Sequence[str], timeout_s: float | None) -> Job:
    name = "-".join(label for label in labels.values() if label)
    return Job(name, str(path), tuple(options), name, labels, timeout_s)
