"""Names that somebody may have meant; knows nothing of what they name."""

from __future__ import annotations

from collections.abc import Iterable

#: Names that are less alike than that were not meant.
ALIKE = 0.6


def did_you_mean(word: str, known: Iterable[str], *, alike: float = ALIKE) -> str | None:
    """A question with the names that are nearest, those first that begin with the word; None where none is near."""
    import difflib  # a command that is spelled well does without

    names = list(known)
    near = [name for name in names if word and name.startswith(word)] or [
        name for name in names if difflib.SequenceMatcher(None, name, word).ratio() >= alike
    ]
    ratios = {name: difflib.SequenceMatcher(None, name, word).ratio() for name in near}
    best = [f"`{name}`" for name in near if ratios[name] == max(ratios.values())]
    if not best:
        return None
    return f"did you mean {', '.join(best[:-1])}{' or ' if best[1:] else ''}{best[-1]}?"
