"""What a design is made for: a device, the budgets that bind, a clock, and what things cost there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from sisyphus.errors import UsageError
from sisyphus.shown import Shown
from sisyphus.target.device import MAX_CLOCK_MHZ, Device, Platform, ceilings
from sisyphus.target.memories import MemoryTable, memory_table
from sisyphus.target.operators import Adders, OperatorTable, operator_table
from sisyphus.target.resources import KINDS, Resources
from sisyphus.values import dataclass, replace

MAX_PARTITION = 1024
#: Whose budgets bind: what designs were routed in, all that the shell leaves, everything that the part has.
Level = Literal["routable", "platform", "chip"]
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True)
class MeasuredInterval:
    """What a report said of a loop: with these statements in its body, it starts an iteration every `cycles` cycles."""

    statements: tuple[str, ...]
    loop: str
    cycles: int
    version: str

    @staticmethod
    def of(told: Mapping[str, Any]) -> MeasuredInterval:
        """As `asdict` wrote it; `ValueError`, `TypeError` or `KeyError` where it is none."""
        cycles = int(told["cycles"])
        if cycles < 1:
            raise ValueError(f"an interval of {cycles} cycles")
        return MeasuredInterval(tuple(map(str, told["statements"])), str(told["loop"]), cycles, str(told["version"]))


@dataclass(frozen=True)
class Target(Shown):
    """A device with its budgets; `max_partition` bounds the banks of one array.

    `budget` is for the whole design: what `level` gives, with the kinds that the user `ordered` in place of that.
    `measured` corrects the rules of the kernel that is looked at: its loops start no earlier there.
    """

    device: Device
    budget: Resources
    clock_mhz: float
    max_partition: int
    port_bits: int
    operators: OperatorTable
    memories: MemoryTable
    level: Level = "chip"
    platform: Platform | None = None
    ordered: tuple[str, ...] = ()
    measured: tuple[MeasuredInterval, ...] = ()

    def __str__(self) -> str:
        rows = (f"  {kind.title:15s}{getattr(self.budget, kind.name):>14,}" for kind in KINDS)
        told = f"{self.device.name} ({self.device.part}, {self.clock_mhz:g} MHz), budgets of level `{self.level}`"
        return "\n".join([told, *rows, f"  {'banks per array':15s}{self.max_partition:>14,}"])

    @property
    def slrs(self) -> tuple[Resources, ...]:
        """What each SLR has: of the user region where that is known, else an equal share of the chip."""
        return slrs_of(self.device, self.platform)

    def adding_in(self, adders: Adders) -> Target:
        """The same where additions of floating point cost what such adders do."""
        if self.operators.adders == adders:
            return self
        table = operator_table(clock_mhz=self.clock_mhz, family=self.device.family, adders=adders)
        return replace(self, operators=table)

    def storing(self, words: int) -> Target:
        """The same for a kernel whose arrays have so many words of 32 bits: what designs ask memories to be in."""
        return replace(self, memories=self.memories.storing(words, self.budget.bram18k, self.budget.uram))

    def asking(self, storage: str) -> Target:
        """The same where designs ask for this storage."""
        return replace(self, memories=self.memories.asking(storage))

    def on_slr(self, number: int, banks: int) -> Target:
        """The same for a design of its own on one SLR with so many of the banks; amounts that were ordered hold there.

        `UsageError` where the device has no such SLR.
        """
        if not 0 <= number < self.device.slrs:
            raise UsageError(f"`{self.device.name}` has no SLR {number}; it has {self.device.slrs}")
        region = self.device.chip_slr() if self.level == "chip" else self.slrs[number]
        budget = region.within(ceilings()) if self.level == "routable" else region
        whole = region.amounts()
        ordered = {name: min(getattr(self.budget, name), whole[name]) for name in self.ordered}
        return replace(self, device=replace(self.device, banks=banks), budget=budget.with_amounts(ordered))


def slrs_of(device: Device, platform: Platform | None) -> tuple[Resources, ...]:
    """What each SLR has: of the user region of a platform, without one an equal share of the chip."""
    return platform.slrs if platform is not None else (device.chip_slr(),) * device.slrs


def device_budget(device: Device, platform: Platform | None, level: Level) -> Resources:
    """What designs may use in all; `UsageError` for the user region of a board without a platform."""
    if level == "chip":
        return device.chip()
    if level == "platform" and platform is None:
        raise UsageError(
            f"no platform of `{device.name}` is known, so that its user region is not",
            hint="`--budget chip`, or a device file with a platform (docs/devices.md)",
        )
    slrs = slrs_of(device, platform)
    return Resources.total(slr.within(ceilings()) for slr in slrs) if level == "routable" else Resources.total(slrs)


def level_for(device: Device, platform: Platform | None, ordered: Mapping[str, int]) -> Level:
    """The first level, from `routable` upwards, that every ordered amount lies within.

    Who orders more than the user region has asks for a design that this board cannot hold, as papers do; holding its
    other budgets to the board would mean nothing.
    """
    known: tuple[Level, ...] = ("routable", "platform") if platform is not None else ("routable",)
    return next((lv for lv in known if not device_budget(device, platform, lv).exceeded_by(ordered)), "chip")


def make_target(
    device: Device,
    *,
    budget: Level | None = None,
    platform: str | None = None,
    dsp: int | None = None,
    onchip_bytes: int | None = None,
    bram18k: int | None = None,
    uram: int | None = None,
    lut: int | None = None,
    ff: int | None = None,
    clock_mhz: float | None = None,
    max_partition: int = MAX_PARTITION,
) -> Target:
    """The target of a device under the budgets of a level; a number given replaces one, within what the chip has.

    Without a level (None) it is `level_for` the numbers given. Without `onchip_bytes` the on-chip buffers may fill all
    block RAMs and UltraRAMs of the budget. Amounts are bytes, slices, blocks, LUTs and flip-flops.
    `UsageError` where one is negative, or the clock or the largest partition is none.
    """
    asked = {"dsp": dsp, "bram18k": bram18k, "uram": uram, "lut": lut, "ff": ff, "onchip_bytes": onchip_bytes}
    given = {name: amount for name, amount in asked.items() if amount is not None}
    negative = [f"`{name}` is {amount}" for name, amount in given.items() if amount < 0]
    if negative:
        raise UsageError("a budget cannot be negative: " + ", ".join(negative))
    clock = device.clock_mhz if clock_mhz is None else float(clock_mhz)
    if not 0 < clock <= MAX_CLOCK_MHZ:
        raise UsageError(f"a clock of {clock:g} MHz is out of range", hint=f"above 0, up to {MAX_CLOCK_MHZ} MHz")
    if max_partition < 1:
        raise UsageError(f"a largest partition of {max_partition} leaves no bank", hint="1 is the least")
    whole, shell = device.chip().amounts(), device.platform(platform)
    ordered = {name: min(amount, whole[name]) for name, amount in given.items()}
    level = budget if budget is not None else level_for(device, shell, ordered)
    return Target(
        device=device,
        budget=device_budget(device, shell, level).with_amounts(ordered),
        clock_mhz=clock,
        max_partition=max_partition,
        port_bits=device.port_bits,
        operators=operator_table(clock_mhz=clock, family=device.family),
        memories=memory_table(has_uram=device.uram > 0, family=device.family),
        level=level,
        platform=shell,
        ordered=tuple(ordered),
    )
