"""Frozen dataclasses that write their methods later are what the library makes of the same classes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sisyphus import values
from sisyphus.source import Span

PACKAGE = Path(values.__file__).parent
#: `from dataclasses import dataclass`, alone or with others.
LIBRARYS = re.compile(r"^\s*from dataclasses import .*\bdataclass\b", re.MULTILINE)

Make = Callable[..., Any]


def family(dataclass: Make) -> dict[str, Any]:
    """The same classes by either decorator."""

    @dataclass(frozen=True)
    class Base:
        a: int
        b: tuple[int, ...] = ()
        shared: ClassVar[int] = 3

        @cached_property
        def doubled(self) -> int:
            return 2 * self.a

    @dataclass(frozen=True)
    class Derived(Base):
        c: dict[str, int] = values.field(default_factory=dict)
        hidden: int = values.field(default=0, compare=False, repr=False)
        made: list[int] = values.field(default_factory=list, init=False, compare=False)
        fixed: int = values.field(default=7, init=False)

    @dataclass(frozen=True, eq=False)
    class Apart:
        a: int

    @dataclass(frozen=True)
    class Empty:
        pass

    @dataclass(frozen=True)
    class Own:
        a: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __repr__(self) -> str:
            return "own"

    @dataclass
    class Open:
        a: int

    @dataclass(frozen=True, order=True)
    class Ordered:
        a: int

    return {kind.__name__: kind for kind in (Base, Derived, Apart, Empty, Own, Open, Ordered)}


LATER, LIBRARY = family(values.dataclass), family(dataclasses.dataclass)

TRIED: dict[str, Callable[[dict[str, Any]], object]] = {
    "repr": lambda of: repr(of["Derived"](1, (2,), {"x": 1}, hidden=3)),
    "by name": lambda of: repr(of["Base"](b=(3,), a=1)),
    "equal": lambda of: of["Derived"](1) == of["Derived"](1, (), {}, 5),
    "different": lambda of: of["Base"](1) == of["Base"](2),
    "of another class": lambda of: of["Base"](1) == of["Derived"](1),
    "not of ours": lambda of: of["Base"](1).__eq__(1),
    "the same NaN": lambda of: (lambda nan: of["Base"](nan) == of["Base"](nan))(float("nan")),
    "identity": lambda of: (of["Apart"](1) == of["Apart"](1), isinstance(hash(of["Apart"](1)), int)),
    "empty": lambda of: (repr(of["Empty"]()), of["Empty"]() == of["Empty"]()),
    "its own methods": lambda of: (repr(of["Own"](1)), of["Own"](1) == of["Own"](2), hash(of["Own"](1)) == hash((1,))),
    "hash": lambda of: hash(of["Base"](1, (2,))),
    "hash of a dict": lambda of: hash(of["Derived"](1)),
    "hash of what changes": lambda of: hash(of["Open"](1)),
    "order": lambda of: of["Ordered"](1) < of["Ordered"](2),
    "replace": lambda of: repr(values.replace(of["Derived"](1), b=(4,))),
    "as a dict": lambda of: values.asdict(of["Derived"](1, (2,))),
    "fields": lambda of: [(f.name, f.type, f.init, f.repr, f.compare) for f in values.fields(of["Derived"])],
    "own factory": lambda of: of["Derived"](1).made is of["Derived"](1).made,
    "cached": lambda of: of["Base"](4).doubled,
    "copy": lambda of: copy.deepcopy(of["Derived"](1)) == of["Derived"](1),
    "match": lambda of: of["Derived"].__match_args__,
    "a field is missing": lambda of: of["Base"](),
    "a field too much": lambda of: of["Base"](1, (), 3),
    "an unknown field": lambda of: of["Base"](1, colour=2),
    "not of the constructor": lambda of: of["Derived"](1, fixed=2),
    "changed": lambda of: (lambda value: (setattr(value, "a", 2), repr(value), value == of["Open"](2)))(of["Open"](1)),
    "set": lambda of: setattr(of["Base"](1), "a", 2),
    "delete": lambda of: delattr(of["Base"](1), "a"),
}


@pytest.mark.parametrize("what", TRIED)
def test_the_library_says_the_same(what: str) -> None:
    assert came_of(what, LATER) == came_of(what, LIBRARY)
    assert came_of(what, LATER) == came_of(what, LIBRARY), "the second time, too"


def came_of(what: str, family: dict[str, Any]) -> object:
    try:
        return TRIED[what](family)
    except (TypeError, AttributeError) as failure:
        return type(failure), str(failure)


def test_a_value_travels_to_a_process_that_made_none() -> None:
    packed = pickle.dumps((Span("a.c", 3, 5), Span("a.c", 3, 5)))
    code = f"import pickle; a, b = pickle.loads({packed!r}); print(a, a == b)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told == f"{Span('a.c', 3, 5)} True\n"


def test_methods_are_written_when_they_are_called() -> None:
    kind = family(values.dataclass)["Base"]
    before = {name: vars(kind)[name] for name in ("__init__", "__eq__", "__hash__")}
    value = kind(1)
    assert vars(kind)["__init__"] is not before["__init__"] and vars(kind)["__hash__"] is before["__hash__"]
    hash(value)
    assert vars(kind)["__hash__"] is not before["__hash__"] and vars(kind)["__eq__"] is before["__eq__"]


def test_nobody_imports_the_decorator_of_the_library() -> None:
    """But for what `help` shows to users: a constructor that is written later tells no parameters until then."""
    importers = {str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py") if LIBRARYS.search(p.read_text())}
    assert importers == {"api/inputs.py", "api/listings.py", "values.py"}
