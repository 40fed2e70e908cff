"""What on-chip memories, FIFOs and interface adapters cost, by words and bits; knows no array and no design."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sisyphus.errors import InternalError
from sisyphus.target.cost import BankCost
from sisyphus.target.data_files import package_toml
from sisyphus.values import dataclass, field, replace

STORAGES = ("auto", "deep", "bram", "uram", "lutram", "register")
#: A block of URAM holds as many words of fewer bits as of this many, so that it is no better for them than BRAM.
DEEP_BITS = 32
#: Share of the URAM from which on arrays may be in BRAM as well.
MUCH = 0.5


def storage_of(storage: str, words: int, bits: int) -> str:
    """What a bank of `words` x `bits` is asked to be in: in `deep` storage URAM where one block of it has fewer words,
    since the tool takes BRAM by itself then; else the storage itself.
    """
    if storage != "deep":
        return storage
    return "uram" if words > _words_of_uram() and bits >= DEEP_BITS else "auto"


def _words_of_uram() -> int:
    return int(package_toml("memories.toml")["other_widths"]["uram_words"])


@dataclass(frozen=True)
class MemoryTable:
    """Costs of memories as the synthesis report counts them, on parts of a family, with or without URAM.

    32-bit memories follow measured steps without exception. Other widths follow the rule of 64-bit memories of an
    older version, and blocks of the shapes they have; they are marked unmeasured beyond what reports confirm.
    `storage` is what designs of a search ask for; whole arrays may be in `either` of `storages` where they take much.
    """

    has_uram: bool
    family: str
    storage: str = "auto"
    either: bool = False
    _known: dict[tuple[Any, ...], BankCost] = field(default_factory=dict, init=False, repr=False, compare=False)

    def bank(self, words: int, bits: int, storage: str = "auto") -> BankCost:
        """One bank of `words` x `bits`. `storage`: auto (the tool chooses), deep, bram, uram, lutram or register."""
        key = (words, bits, storage)
        found = self._known.get(key)
        if found is None:
            if words < 1 or bits < 1 or storage not in STORAGES:
                raise InternalError(f"a bank of {words} words of {bits} bits in `{storage}`")
            found = self._known[key] = self._marked(self._bank(words, bits, storage_of(storage, words, bits)))
        return found

    @property
    def storages(self) -> tuple[str, ...]:
        """What a whole array on chip may be asked to be in, first what others are."""
        every = ("auto", "deep") if self.has_uram and self.either else ()
        return (self.storage, *(other for other in every if other != self.storage))

    def storing(self, words: int, bram18k: int, uram: int) -> MemoryTable:
        """The same with what designs ask for with so many blocks, for arrays of so many words of 32 bits together.

        It is `deep` where a bank just larger than a block of URAM takes no more of the URAM than it would of the
        BRAM18. Arrays that take less than half of the URAM leave room for each other as it is.
        """
        block = _words_of_uram()
        deep, alone = self.bank(block + 1, DEEP_BITS, "deep"), self.bank(block + 1, DEEP_BITS)
        storage = "deep" if deep.uram * bram18k <= alone.bram18k * uram else "auto"
        either = words > MUCH * uram * block
        return memory_table(has_uram=self.has_uram, family=self.family, storage=storage, either=either)

    def asking(self, storage: str) -> MemoryTable:
        """The same where designs ask for this storage."""
        return memory_table(has_uram=self.has_uram, family=self.family, storage=storage, either=self.either)

    def pingpong(self, words: int, bits: int, *, dual_port: bool = True) -> BankCost:
        """Two copies of a bank, one filled while the other is used.

        With two ports the copies are two memories, as two arrays in the source are; a channel of a dataflow region
        with one port is one memory of twice the words.
        """
        return self.bank(words, bits).times(2) if dual_port else self.bank(2 * words, bits)

    def m_axi(self, bits: int) -> BankCost:
        """The adapter of an off-chip port; widths between those of the table as the next wider one."""
        rule = package_toml("memories.toml")["m_axi"]
        for row in rule["adapters"]:
            if 1 <= bits <= row["bits"]:
                measured = bits == row["bits"] and row.get("measured", True)
                return self._marked(BankCost(row["bram18k"], 0, row["lut"], row["ff"], measured))
        raise InternalError(f"an m_axi port of {bits} bits")

    def s_axilite(self, registers: int) -> BankCost:
        """The adapter of the control interface with so many 32-bit data registers (a pointer has two)."""
        rule = package_toml("memories.toml")["s_axilite"]
        if registers < 0:
            raise InternalError(f"an s_axilite interface of {registers} registers")
        seen = dict(map(tuple, rule["ff_seen"]))
        ff = seen.get(registers, rule["ff"][0] + rule["ff"][1] * registers)
        return self._marked(BankCost(0, 0, rule["lut"][0] + rule["lut"][1] * registers, ff, registers in seen))

    def fifo(self, bits: int, depth: int) -> BankCost:
        """A FIFO as the report counts it: its BRAM18 do not grow with the depth (see `fifo_blocks`)."""
        key = ("fifo", bits, depth)
        found = self._known.get(key)
        if found is None:
            if bits < 1 or depth < 1:
                raise InternalError(f"a FIFO of {depth} words of {bits} bits")
            found = self._known[key] = self._marked(_fifo(package_toml("memories.toml")["fifo"], bits, depth))
        return found

    def fifo_blocks(self, bits: int, depth: int) -> int:
        """BRAM18 that a FIFO needs in hardware, where the report counts too few."""
        rule: Mapping[str, int] = package_toml("memories.toml")["fifo"]
        if depth <= rule["bram18k_above"]:
            return 0
        return math.ceil(bits / rule["lane_bits"]) * math.ceil(depth / rule["lane_words"])

    def _marked(self, cost: BankCost) -> BankCost:
        """`cost`, unmeasured on a family that no report was of."""
        seen = self.family == package_toml("operators.toml")["seen_on"]
        return cost if seen else replace(cost, measured=False)

    def _bank(self, words: int, bits: int, storage: str) -> BankCost:
        rules = package_toml("memories.toml")
        other = rules["other_widths"]
        if storage == "register" or (words == 1 and storage == "auto"):
            return BankCost(0, 0, 0, words * bits, words == 1 and bits in (32, 64))
        if storage == "lutram":
            half = math.ceil(words / other["lutram_half_words"])
            return BankCost(0, 0, 1 + half * bits, bits, bits == 32 and words <= other["lutram_words"])
        if storage == "uram":
            blocks = math.ceil(bits / other["uram_bits"]) * math.ceil(words / other["uram_words"])
            return BankCost(0, blocks, 0, 0, False)
        if bits == 32:
            return self._word32(rules["word32"], words, storage)
        return _other_width(other, words, bits, in_lutram=storage == "auto")

    def _word32(self, rule: Mapping[str, Any], words: int, storage: str) -> BankCost:
        """A 32-bit memory by the steps of the data; without URAM, block RAM stands in for it (not measured)."""
        steps: Sequence[Mapping[str, int]] = rule["steps"] if storage == "auto" else rule["bram_steps"]
        step = next((s for s in steps if words <= s["words"]), None)
        if step is None:
            return BankCost(_nearest(words, rule["bram18k_words"]), 0, 0, 0, True)
        if "uram" in step and not self.has_uram:
            stand_in = self._word32(rule, words, "bram")
            return BankCost(stand_in.bram18k, 0, 0, 0, False)
        return BankCost(step.get("bram18k", 0), step.get("uram", 0), step.get("lut", 0), step.get("ff", 0), True)


def _nearest(words: int, per_block: int) -> int:
    """Blocks to the nearest whole number; the tool rounds halves up, which `round` does not."""
    return (2 * words + per_block) // (2 * per_block)


def _other_width(rule: Mapping[str, Any], words: int, bits: int, *, in_lutram: bool) -> BankCost:
    """A memory of another width than 32 bits."""
    measured = any(bits == width and words <= most for width, most in rule["measured_up_to"])
    if in_lutram and words <= rule["lutram_words"] and words * bits <= rule["lutram_bits"]:
        copies = 1 if words <= rule["lutram_half_words"] else 2
        return BankCost(0, 0, 1 + copies * bits, bits, measured)
    lanes = math.ceil(bits / rule["lane_bits"])
    depth = next((d for width, d in rule["shapes"] if bits <= width), rule["shapes"][-1][1])
    blocks = 1
    while blocks < rule["power_of_two"] and blocks * depth < words:
        blocks *= 2
    if blocks * depth < words:
        blocks = max(blocks, _nearest(words, depth))
    return BankCost(lanes * blocks, 0, 0, 0, measured and in_lutram)


def _fifo(rule: Mapping[str, Any], bits: int, depth: int) -> BankCost:
    row = next(r for r in rule["rows"] if depth <= r.get("depth", depth))
    blocks = math.ceil(bits / rule["lane_bits"]) if depth > rule["bram18k_above"] else 0
    for width, ff, lut in row["seen"]:
        if width == bits:
            return BankCost(blocks, 0, lut, ff, True)
    wide = bits >= rule["wide_bits"] and depth <= rule["wide_depth"]
    ff_line, lut_line = (rule["wide_ff"], rule["wide_lut"]) if wide else (row["ff"], row["lut"])
    return BankCost(blocks, 0, _on(lut_line, bits), _on(ff_line, bits), False)


def _on(line: Sequence[float], bits: int) -> int:
    """A line of the data (constant, slope) at a width, rounded up."""
    return math.ceil(line[0] + line[1] * bits)


@cache
def memory_table(*, has_uram: bool, family: str, storage: str = "auto", either: bool = False) -> MemoryTable:
    """The table of parts of a family with or without URAM; one and the same for equal arguments."""
    return MemoryTable(has_uram=has_uram, family=family, storage=storage, either=either)
