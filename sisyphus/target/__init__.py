"""Devices and operator tables, read from data files."""

from sisyphus.target.cost import BankCost, OpCost
from sisyphus.target.device import Budget, Device, device_names, load_device
from sisyphus.target.memories import MemoryTable, memory_table
from sisyphus.target.operators import OperatorTable, operator_table
from sisyphus.target.tables import parse_toml
from sisyphus.target.target import Target, make_target
from sisyphus.target.units import parse_amount, parse_size

__all__ = [
    "BankCost",
    "Budget",
    "Device",
    "MemoryTable",
    "OpCost",
    "OperatorTable",
    "Target",
    "device_names",
    "load_device",
    "make_target",
    "memory_table",
    "operator_table",
    "parse_amount",
    "parse_size",
    "parse_toml",
]
