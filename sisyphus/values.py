"""Dataclasses whose methods are written when they are first called; knows no class of ours.

`dataclasses.dataclass` compiles up to six methods of each class as it is imported, and most are never called: a sixth
of the time of a short search. The meaning is that of the library, whose decorator is the one that type checkers see.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, asdict, astuple, field, fields, replace
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, eq=True, **options):
        """As the library's; with other options than `frozen` and `eq` it is the library's."""

        def made(cls):
            if options not in ({}, {"frozen": True}) or hasattr(cls, "__post_init__"):
                return dataclasses.dataclass(eq=eq, **options)(cls)
            return _with_methods(cls, eq=eq, frozen=bool(options))

        return made if cls is None else made(cls)


__all__ = ["asdict", "astuple", "dataclass", "field", "fields", "replace"]

Fields = Iterable[Field[Any]]
#: What the library takes for something else than the type of a field.
MARKERS = ("ClassVar", "InitVar", "KW_ONLY")


def _with_methods(cls: type, *, eq: bool, frozen: bool) -> type:
    own = dict(vars(cls))
    _find_fields(cls, own.get("__annotations__", {}))
    methods: dict[str, Any] = {"__init__": _later(cls, "__init__", _init), "__repr__": _repr}
    if eq:
        methods["__eq__"] = _later(cls, "__eq__", _eq)
        methods["__hash__"] = _later(cls, "__hash__", _hash) if frozen else None
        if "__eq__" in own and own["__hash__"] is None:
            del own["__hash__"]  # Python's word for a class that defines __eq__ alone
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    if frozen:
        cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete  # type: ignore[assignment, method-assign]
    return cls


def _find_fields(cls: type, kinds: dict[str, Any]) -> None:
    """By the library, without what it takes longest over: annotations that may be its markers, and missing docstrings.

    It looks into the text of every annotation three times, and writes a signature where a class has no docstring.
    """
    cls.__doc__ = cls.__doc__ or cls.__name__
    is_plain = not any(marker in str(kind) for kind in kinds.values() for marker in MARKERS)
    if is_plain:
        cls.__annotations__ = dict.fromkeys(kinds, object)
    dataclasses.dataclass(init=False, eq=False, repr=False)(cls)
    if is_plain:
        cls.__annotations__ = kinds
        for each in fields(cls):
            each.type = kinds.get(each.name, each.type)


def _later(cls: type, name: str, text_of: Callable[[Fields, dict[str, Any]], str]) -> Callable[..., Any]:
    """A method that puts the one of this text into its place in the class when it is called."""

    def first(self: object, *given: Any, **named: Any) -> Any:
        known: dict[str, Any] = {}
        exec(text_of(fields(cls), known), known)
        method = known[name]
        method.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
        return method(self, *given, **named)

    return first


def _init(found: Fields, known: dict[str, Any]) -> str:
    """The text of `__init__`; `known` gets what it refers to."""
    known |= {"_set": object.__setattr__, "_unset": MISSING}
    heads, lines = ["self"], []
    for each in found:
        name, otherwise = each.name, f"_of_{each.name}"
        head = value = name
        if each.default_factory is not MISSING:
            known[otherwise] = each.default_factory
            head = f"{name}=_unset"
            value = f"{otherwise}() if {name} is _unset else {name}" if each.init else f"{otherwise}()"
        elif each.default is not MISSING:
            known[otherwise] = each.default
            head, value = f"{name}={otherwise}", name if each.init else otherwise
        heads += [head] if each.init else []
        lines.append(f"  _set(self, {name!r}, {value})\n")
    return f"def __init__({', '.join(heads)}):\n{''.join(lines) or '  pass'}"


def _eq(found: Fields, _known: dict[str, Any]) -> str:
    mine, others = (_tuple(of, (f.name for f in found if f.compare)) for of in ("self", "other"))
    return (
        "def __eq__(self, other):\n"
        f"  return {mine} == {others} if other.__class__ is self.__class__ else NotImplemented\n"
    )


def _hash(found: Fields, _known: dict[str, Any]) -> str:
    names = (f.name for f in found if (f.compare if f.hash is None else f.hash))
    return f"def __hash__(self):\n  return hash({_tuple('self', names)})\n"


def _tuple(owner: str, names: Iterable[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse_to_set(_self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
