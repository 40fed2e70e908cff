"""What a design is made for: a device, the budgets that bind, a clock, and what things cost there."""

from __future__ import annotations

from dataclasses import dataclass

from sisyphus.errors import UsageError
from sisyphus.target.device import MAX_CLOCK_MHZ, Budget, Device
from sisyphus.target.memories import MemoryTable, memory_table
from sisyphus.target.operators import OperatorTable, operator_table

MAX_PARTITION = 1024


@dataclass(frozen=True)
class Target:
    """A device with the user's limits; `max_partition` bounds the banks of one array."""

    device: Device
    budget: Budget
    clock_mhz: float
    max_partition: int
    port_bits: int
    operators: OperatorTable
    memories: MemoryTable


def make_target(
    device: Device,
    *,
    dsp: int | None = None,
    onchip_bytes: int | None = None,
    bram18k: int | None = None,
    uram: int | None = None,
    lut: int | None = None,
    ff: int | None = None,
    clock_mhz: float | None = None,
    max_partition: int = MAX_PARTITION,
) -> Target:
    """The target of a device under limits, which only ever tighten what the device has.

    Without `onchip_bytes` the on-chip buffers may fill all block RAMs and UltraRAMs of the device.
    """
    whole = device.budget()
    asked = {"dsp": dsp, "bram18k": bram18k, "uram": uram, "lut": lut, "ff": ff, "onchip_bytes": onchip_bytes}
    negative = [f"`{name}` is {value}" for name, value in asked.items() if value is not None and value < 0]
    if negative:
        raise UsageError("a budget cannot be negative: " + ", ".join(negative))
    clock = device.clock_mhz if clock_mhz is None else float(clock_mhz)
    if not 0 < clock <= MAX_CLOCK_MHZ:
        raise UsageError(f"a clock of {clock:g} MHz is out of range", hint=f"above 0, up to {MAX_CLOCK_MHZ} MHz")
    if max_partition < 1:
        raise UsageError(f"a largest partition of {max_partition} leaves no bank", hint="1 is the least")
    return Target(
        device=device,
        budget=Budget(
            dsp=_tighter(whole.dsp, dsp),
            bram18k=_tighter(whole.bram18k, bram18k),
            uram=_tighter(whole.uram, uram),
            lut=_tighter(whole.lut, lut),
            ff=_tighter(whole.ff, ff),
            onchip_bytes=_tighter(device.onchip_bytes, onchip_bytes),
        ),
        clock_mhz=clock,
        max_partition=max_partition,
        port_bits=device.port_bits,
        operators=operator_table(clock_mhz=clock, family=device.family),
        memories=memory_table(has_uram=device.uram > 0, family=device.family),
    )


def _tighter(has: int, asked: int | None) -> int:
    return has if asked is None else min(has, asked)
