"""Which solver adapters are installed; loads one only when it is chosen."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points

from sisyphus.errors import InternalError, NoDesignError
from sisyphus.solve.contract import SolverAdapter

GROUP = "sisyphus.solvers"
DEFAULT_SOLVER = "scip"


def adapters() -> dict[str, EntryPoint]:
    """Entry points by solver name, sorted; two owners of one name are an error that names both."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if entry.name in found and found[entry.name].value != entry.value:
            raise InternalError(f"solver `{entry.name}`: {found[entry.name].value} or {entry.value}?")
        found[entry.name] = entry
    return dict(sorted(found.items()))


def load_adapter(name: str) -> SolverAdapter:
    """The adapter of that name; `NoDesignError` where there is none, `InternalError` where it breaks the contract."""
    known = adapters()
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"installed: {', '.join(known) or 'none'}"
        raise NoDesignError(f"there is no solver `{name}`", hint=hint)
    adapter = known[name].load()()
    if not isinstance(adapter, SolverAdapter) or adapter.name != name:
        raise InternalError(f"entry point `{name}` of {known[name].value} is not an adapter of that name")
    return adapter


def find_adapter(name: str) -> SolverAdapter:
    """The adapter of that name, ready to run; `NoDesignError` says what is missing."""
    adapter = load_adapter(name)
    missing = adapter.missing()
    if missing is not None:
        raise NoDesignError(f"solver `{name}` cannot run: {missing}", hint="`sisy solvers` lists those that can")
    return adapter
