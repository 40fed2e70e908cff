"""Devices and operator tables, read from data files."""

from sisyphus.target.cost import BankCost, OpCost
from sisyphus.target.data_files import parse_toml
from sisyphus.target.device import Device, Platform, ceilings, device_names, load_device
from sisyphus.target.fabric import fits_multiply_add, table_storage
from sisyphus.target.memories import MemoryTable, memory_table, storage_of
from sisyphus.target.operators import ADDERS, Adders, OperatorTable, operator_table
from sisyphus.target.resources import KINDS, Budget, Kind, Resources
from sisyphus.target.target import LEVELS, Level, MeasuredInterval, Target, device_budget, make_target
from sisyphus.target.units import parse_amount, parse_size

__all__ = [
    "ADDERS",
    "KINDS",
    "LEVELS",
    "Adders",
    "BankCost",
    "Budget",
    "Device",
    "Kind",
    "Level",
    "MeasuredInterval",
    "MemoryTable",
    "OpCost",
    "OperatorTable",
    "Platform",
    "Resources",
    "Target",
    "ceilings",
    "device_budget",
    "device_names",
    "fits_multiply_add",
    "load_device",
    "make_target",
    "memory_table",
    "operator_table",
    "parse_amount",
    "parse_size",
    "parse_toml",
    "storage_of",
    "table_storage",
]
