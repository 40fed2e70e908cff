"""The register of constructs, read from its data file: class, cases, rule and formula of each; knows no plan."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from sisyphus.errors import InternalError
from sisyphus.values import dataclass

#: Worst first. Inferred: nothing but our conclusion. Documented: a manual says so. Measured: reports show it.
Evidence = Literal["inferred", "documented", "measured"]
CLASSES: tuple[Evidence, ...] = get_args(Evidence)


@dataclass(frozen=True)
class Entry:
    """A construct that designs may contain.

    `confirmed` of `of` cases in `source` agree with the rule; `rule` is where it is written down, `function` the one
    that states it, `prints` what of the emitted text belongs to it: pragmas, `if` and `?`.
    """

    id: str
    title: str
    evidence: Evidence
    source: str
    confirmed: int
    of: int
    rule: str
    function: str
    prints: tuple[str, ...] = ()

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases by their ids: lines of tables of loops, cores and memories, designs of plans.json."""
        return _cases().get(self.id, ())

    @property
    def is_trusted(self) -> bool:
        return self.evidence != "inferred"


@cache
def entries() -> Mapping[str, Entry]:
    """All constructs by their id, in the order of the data file."""
    text = files("sisyphus.evidence").joinpath("data", "constructs.toml").read_text(encoding="utf-8")
    return read(tomllib.loads(text))


@cache
def _cases() -> Mapping[str, tuple[str, ...]]:
    text = files("sisyphus.evidence").joinpath("data", "cases.toml").read_text(encoding="utf-8")
    return {
        name: (
            *(f"{found['table']}:{line}" for first, last in found.get("lines", ()) for line in range(first, last + 1)),
            *found.get("designs", ()),
        )
        for name, found in tomllib.loads(text).items()
    }


def read(content: Mapping[str, Any]) -> Mapping[str, Entry]:
    """The entries of a register; `InternalError` where one is not as it must be."""
    found = {}
    for name, fields in content.items():
        try:
            made = Entry(id=name, **{**fields, "prints": tuple(fields.get("prints", ()))})
        except TypeError as wrong:
            raise InternalError(f"constructs.toml, `{name}`: {wrong}") from wrong
        if made.evidence not in CLASSES or not 0 <= made.confirmed <= made.of:
            raise InternalError(f"constructs.toml, `{name}`: class or counts cannot be")
        if made.evidence == "measured" and not made.confirmed:
            raise InternalError(f"constructs.toml, `{name}`: measured, but in no case")
        found[name] = made
    return found


def entry(construct: str) -> Entry:
    """The entry of a construct; `InternalError` where designs contain something that nobody has looked at."""
    known = entries()
    if construct not in known:
        raise InternalError(f"the construct `{construct}` has no entry in the register of evidence")
    return known[construct]


def worst(constructs: Iterable[str]) -> Evidence:
    """The weakest class of some constructs; what has none is measured."""
    return min((entry(c).evidence for c in constructs), key=CLASSES.index, default="measured")
