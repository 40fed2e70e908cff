"""What boards have, how a design lies on one, and which solvers there are, as data and text; decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sisyphus.model import Estimate
from sisyphus.report.tables import Rows, indent, table
from sisyphus.solve import SolverInfo
from sisyphus.target import KINDS, Device, Platform, Resources, Target, ceilings, device_budget

#: Kinds that SLRs have; bytes on chip follow from blocks.
BLOCKS = tuple(kind for kind in KINDS if kind.name != "onchip_bytes")
HEADER = ("", *(kind.title for kind in BLOCKS))


def devices_text(devices: Sequence[Device]) -> str:
    """A row per board."""
    rows = [
        (
            d.name,
            d.part,
            *_amounts(d.chip()),
            str(d.slrs),
            f"{d.banks} {d.bank_kind}",
            d.platforms[0].name if d.platforms else "not known",
        )
        for d in devices
    ]
    return table(("board", "part", *HEADER[1:], "SLRs", "banks", "user region of"), rows)


def solvers_text(rows: Sequence[SolverInfo]) -> str:
    """A line per solver: its version, or why it cannot run."""
    return "\n".join(f"{row.name:12s} {row.version or f'cannot run: {row.missing}'}" for row in rows)


def device_text(device: Device) -> str:
    """All that is known of a board, each figure with its source."""
    shares = ", ".join(f"{kind.title} {_percent(ceilings()[kind.name])}" for kind in BLOCKS if kind.name in ceilings())
    parts = [
        f"{device.name}: {device.part}, {_several(device.slrs, 'SLR')}, {_several(device.banks, 'bank')} of "
        f"{device.bank_kind} memory, ports of {device.port_bits} bits, {device.clock_mhz:g} MHz",
        table(HEADER, [("chip", *_amounts(device.chip())), *_routable(device, None)]),
        _bandwidth(device),
        f"source: {device.source}",
    ]
    for platform in device.platforms:
        slrs = [(f"SLR{at}", *_amounts(slr)) for at, slr in enumerate(platform.slrs)]
        rows = [("user region", *_amounts(platform.user_region)), *_routable(device, platform)]
        parts += [f"platform {platform.name}\n" + indent(table(HEADER, [*slrs, *rows])), f"source: {platform.source}"]
    if not device.platforms:
        parts.append("platform: none; no figures of its user region with a source are known")
    return "\n\n".join([*parts, f"routable: of each SLR no more than {shares}"])


def _bandwidth(device: Device) -> str:
    """What a bank gives beside what a port asks for."""
    asked = device.port_bits / 8 * device.clock_mhz / 1000
    given = "not known" if device.bank_gb_s is None else f"{device.bank_gb_s:g} GB/s at most"
    return f"each bank: {given}; a port that moves a beat in every cycle asks for {asked:g} GB/s"


def _several(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _routable(device: Device, platform: Platform | None) -> Rows:
    """What designs may use by default, where that is taken from this platform, or from the chip for want of one."""
    if platform is not device.platform():
        return []
    return [("routable", *_amounts(device_budget(device, platform, "routable")))]


def device_data(device: Device) -> dict[str, Any]:
    """The same for machines."""
    return {
        "name": device.name,
        "part": device.part,
        "slrs": device.slrs,
        "banks": device.banks,
        "bank_kind": device.bank_kind,
        "bank_gb_s": device.bank_gb_s,
        "clock_mhz": device.clock_mhz,
        "port_bits": device.port_bits,
        "source": device.source,
        "chip": device.chip().amounts(),
        "routable": device_budget(device, device.platform(), "routable").amounts(),
        "platforms": [
            {"name": p.name, "source": p.source, "slrs": [slr.amounts() for slr in p.slrs]} for p in device.platforms
        ],
    }


def budgets_told(target: Target) -> str:
    """Whose budgets bind, in one line."""
    where = "the chip" if target.platform is None else f"the user region of {target.platform.name}"
    levels = {
        "routable": f"as far as designs were routed in {where}",
        "platform": where,
        "chip": "the whole chip",
    }
    ordered = [kind.option for kind in KINDS if kind.name in target.ordered]
    return levels[target.level] + (f"; {', '.join(ordered)} as ordered" if ordered else "")


def board_told(cost: Estimate, target: Target) -> str | None:
    """What of a design exceeds the user region, or else one SLR, in one line; None where it fits in one SLR."""
    used = {kind.name: getattr(cost, kind.name) for kind in BLOCKS}
    slrs, platform = target.slrs, target.platform
    if platform is not None and platform.user_region.exceeded_by(used):
        return f"exceeds the user region of {platform.name}: {_over(platform.user_region, used)}"
    if len(slrs) == 1 or any(not slr.exceeded_by(used) for slr in slrs):
        return None
    largest = max(slrs, key=lambda slr: -slr.fullest(used))
    return f"exceeds one SLR, and is one function: {_over(largest, used)}"


def _over(limit: Resources, used: dict[str, int]) -> str:
    over = limit.exceeded_by(used)
    return ", ".join(f"{k.title} {used[k.name]:,} of {getattr(limit, k.name):,}" for k in BLOCKS if k.name in over)


def _amounts(amounts: Resources) -> Iterator[str]:
    return (f"{getattr(amounts, kind.name):,}" for kind in BLOCKS)


def _percent(share: Any) -> str:
    return f"{float(100 * share):g} %"
