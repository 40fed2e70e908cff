"""What a design.json says of its own making: source, target and options; knows no search."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sisyphus.backends.hls import source_in
from sisyphus.errors import KernelError, UsageError
from sisyphus.files import STANDARD_INPUT, standard_input
from sisyphus.forms import SCHEDULE
from sisyphus.request import FIX_FORM, GIVEN_FORM, Request, Source
from sisyphus.saved import design_file, read_data, read_point
from sisyphus.space import DesignPoint, Options
from sisyphus.target import LEVELS, MeasuredInterval, Resources, Target, load_device, make_target
from sisyphus.values import dataclass, fields, replace


@dataclass(frozen=True, eq=False)
class Record:
    """What a design.json says of where the design came from."""

    path: Path
    source: Source
    sha256: str
    board: Mapping[str, Any]
    point: DesignPoint
    search: Mapping[str, Any]
    estimate: Any = None
    interface: Any = None

    @staticmethod
    def of(path: Path, *, sandboxed: bool = False) -> Record:
        """`sandboxed`: what is read of the source may include nothing outside of its folder and of recorded ones."""
        path = design_file(path)
        return Record.told(path, read_point(path), read_data(path), sandboxed=sandboxed)

    @staticmethod
    def told(path: Path, point: DesignPoint, data: Mapping[str, Any], *, sandboxed: bool = False) -> Record:
        """The same of data at hand, which `path` holds beside a point."""
        try:
            told = data["source"]
            source = Source(
                path=str(told["path"]),
                function=str(told["function"]),
                defines=tuple(told["defines"]),
                include_dirs=tuple(told.get("include_dirs", ())),
                params={str(name): int(value) for name, value in told["parameters"].items()},
                extents=tuple(told.get("extents", ())),
                temporaries=tuple(told.get("temporaries", ())),
                sandboxed=sandboxed,
            )
            board = {name: data["target"][name] for name in ("device", "part", "clock_mhz")}
            asked = ("level", "platform", "ordered", "budget", "max_partition", "measured")
            board |= {name: data["target"].get(name) for name in asked}
            search, rest = dict(data.get("search", {})), (data.get("estimate"), data.get("interface"))
            if FIX_FORM + GIVEN_FORM in search.get("fixes", ()):
                source = replace(source, schedule=point.rewrites[0].removeprefix(SCHEDULE))
            return Record(path, source, str(told["sha256"]), board, point, search, *rest)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as fault:
            raise KernelError(f"{path}: `source` or `target` is not as sisy writes it ({fault!r})") from fault

    def source_at(self, moved: Path | None) -> Source:
        """The source at its recorded place, or where it has moved; its text must be the recorded one.

        `-` is standard input. Where the file is gone, the text of it in the reference.c beside design.json will do.
        """
        found = self.known_source(moved) or self._in_reference()
        if found is None:
            raise UsageError(
                f"{self.path}: the source `{self.source.path}` is not there as it was",
                hint="give it with `--source FILE`",
            )
        return found

    def known_source(self, moved: Path | None) -> Source | None:
        """The same; None where no file is named and the recorded one is gone or has changed."""
        path = moved or Path(self.source.path)
        if moved is None and not (path.is_file() and _sha256(path.read_bytes()) == self.sha256):
            return None
        if path != STANDARD_INPUT and not path.is_file():
            raise UsageError(f"{path}: no such file", hint="give the path of a C file")
        data = standard_input() if path == STANDARD_INPUT else path.read_bytes()
        if _sha256(data) != self.sha256:
            named = "standard input" if path == STANDARD_INPUT else str(path)
            raise KernelError(f"{named}: not the text that the design was made from", hint="its SHA-256 differs")
        if path == STANDARD_INPUT:
            return replace(self.source, text=data)
        return replace(self.source, path=str(path))

    def _in_reference(self) -> Source | None:
        """By the text in reference.c, which is that of the file where no header of the user's was written into it."""
        try:
            text = source_in(self.path.with_name("reference.c").read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return None
        return replace(self.source, text=text.encode()) if text is not None and self.is_source(text) else None

    def is_source(self, text: str) -> bool:
        """Whether a text is that of the recorded file, line ends at its very end aside."""
        ends = (text, text.rstrip("\n"))
        return any(hashlib.sha256(same.encode()).hexdigest() == self.sha256 for same in ends)

    def target(self, device: str | None) -> tuple[Target | None, tuple[str, ...]]:
        """The board, as far as the printed files depend on it; None where its name is not known."""
        name, part = str(self.board["device"]), self.board["part"]
        try:
            board = load_device(device or name)
        except KernelError:
            if device is not None:
                raise
            return None, (f"the device `{name}` is not known here: build files not compared (`--device FILE`)",)
        if board.part != part and device is not None:
            raise self.other_board(device, board.part)
        if board.part != part:
            return None, (f"`{name}` is the part {board.part} here, not {part}: build files not compared",)
        return make_target(board, budget="chip", clock_mhz=float(self.board["clock_mhz"])), ()

    def whole_target(self, device: str | None) -> Target:
        """The board with the budgets that the design was searched within, and what reports had said of its loops."""
        board = load_device(device or str(self.board["device"]))
        if device is not None and board.part != self.board["part"]:
            raise self.other_board(device, board.part)
        shell, level = self.board["platform"], self.board["level"]
        made = make_target(board, budget="chip", platform=shell, clock_mhz=float(self.board["clock_mhz"]))
        try:
            return replace(
                made,
                level=LEVELS[LEVELS.index(level or made.level)],
                ordered=tuple(self.board["ordered"] or ()),
                budget=Resources(**{f.name: int(self.board["budget"][f.name]) for f in fields(Resources)}),
                max_partition=int(self.board["max_partition"]),
                measured=tuple(MeasuredInterval.of(told) for told in self.board["measured"] or ()),
            )
        except (KeyError, TypeError, ValueError) as fault:
            raise KernelError(f"{self.path}: `target` is not as sisy writes it ({fault!r})") from fault

    def other_board(self, device: str, part: str) -> UsageError:
        """`--device` says where a board is described, and not that the design is for another one."""
        return UsageError(
            f"`--device {device}` is the part {part}, and the design was made for {self.board['part']}",
            hint="`sisy optimize --device` searches a design for another board",
        )

    def request(self, target: Target, source: Source) -> Request:
        """What a search for this design was asked for, as far as the file says."""
        told: dict[str, Any] = {"tree_reduction": self.point.tree_reduction, **self.search.get("options", {})}
        known = {f.name: told[f.name] for f in fields(Options) if f.name in told}
        return Request(
            source=source,
            target=target,
            options=Options(**known),
            fixes=tuple(str(fix) for fix in self.search.get("fixes", ())),
        )


def _sha256(data: bytes) -> str:
    """Of the text as the front end reads it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return hashlib.sha256(text.encode()).hexdigest()
