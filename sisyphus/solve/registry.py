"""Which solvers there are, built in or installed as adapters; loads an adapter only when it is chosen.

A solver is named by `--solver`: `exact` (our own search), `auto` (the best of what can run), the name of an adapter, or
`asl:/path/to/exe`, an adapter with an argument. Several, separated by commas, are tried one after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points, version

from sisyphus.errors import InternalError, NoDesignError
from sisyphus.shown import Shown
from sisyphus.solve.contract import SolverAdapter, forms_of
from sisyphus.spelling import did_you_mean
from sisyphus.values import dataclass

GROUP = "sisyphus.solvers"
DEFAULT_SOLVER = "auto"
#: Our own search: no adapter, because it reads the design space itself and not an optimization problem made of it.
EXACT = "exact"
AUTO = "auto"
#: What `auto` tries, in this order, as far as it can run.
AUTO_ORDER = (EXACT, "scip")


@dataclass(frozen=True)
class SolverInfo(Shown):
    """A row of `sisy solvers`: the version, or what is missing."""

    name: str
    version: str | None
    missing: str | None
    forms: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}" if self.missing is None else f"{self.name} cannot run: {self.missing}"


def adapters() -> dict[str, EntryPoint]:
    """Entry points by solver name, sorted; two owners of one name are an error that names both."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if entry.name in found and found[entry.name].value != entry.value:
            raise InternalError(f"solver `{entry.name}`: {found[entry.name].value} or {entry.value}?")
        if entry.name in (EXACT, AUTO):
            raise InternalError(f"solver `{entry.name}`: built in, or {entry.value}?")
        found[entry.name] = entry
    return dict(sorted(found.items()))


def load_adapter(name: str) -> SolverAdapter:
    """The adapter of that name; `NoDesignError` where there is none, `InternalError` where it breaks the contract.

    What follows a colon is handed to the adapter when it is made.
    """
    known = adapters()
    base, colon, argument = name.partition(":")
    if base not in known:
        names = [AUTO, EXACT, *known]
        hint = did_you_mean(base, names) or f"there are {', '.join(names)}"
        raise NoDesignError(f"there is no solver `{name}`", hint=hint)
    make = known[base].load()
    try:
        adapter = make(argument) if colon else make()
    except TypeError as wrong:
        if colon:
            raise NoDesignError(f"solver `{base}` takes no argument, so there is no `{name}`") from wrong
        raise
    if not isinstance(adapter, SolverAdapter) or adapter.name != name:
        raise InternalError(f"entry point `{base}` of {known[base].value} is not an adapter of the name `{name}`")
    return adapter


def find_adapter(name: str) -> SolverAdapter:
    """The adapter of that name, ready to run; `NoDesignError` says what is missing."""
    adapter = load_adapter(name)
    missing = adapter.missing()
    if missing is not None:
        raise NoDesignError(f"solver `{name}` cannot run: {missing}", hint="`sisy solvers` lists those that can")
    return adapter


def solver_list(names: str) -> tuple[str, ...]:
    """The solvers that are named, to be tried `in_turn`; `NoDesignError` where there is none, or one cannot run."""
    wanted = tuple(name.strip() for name in names.split(",") if name.strip())
    for name in wanted:
        if name not in (AUTO, EXACT):
            find_adapter(name)
    if not wanted:
        raise NoDesignError("no solver was named", hint=f"`{AUTO}` takes the best of what can run")
    return wanted


def in_turn(names: Iterable[str]) -> Iterator[str]:
    """Each solver once; those that `auto` stands for are looked for when their turn comes, which takes 40 ms."""
    seen = set[str]()
    for name in names:
        for solver in AUTO_ORDER if name == AUTO else (name,):
            is_there = name != AUTO or solver == EXACT or _can_run(solver)
            if solver not in seen and is_there:
                seen.add(solver)
                yield solver


def _can_run(solver: str) -> bool:
    return solver in adapters() and load_adapter(solver).missing() is None


def solver_infos() -> tuple[SolverInfo, ...]:
    """Every solver there is, ours first."""
    rows = [SolverInfo(EXACT, version("sisyphus-hls"), None, "space")]
    for name in adapters():
        adapter = load_adapter(name)
        missing = adapter.missing()
        forms = ", ".join(sorted(form.value for form in forms_of(adapter)))
        rows.append(SolverInfo(name, None if missing else adapter.version(), missing, forms))
    return tuple(rows)
