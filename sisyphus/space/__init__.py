"""The design space of a kernel on a target, and points in it."""

from sisyphus.space.point import KERNEL_PLACE, BufferPoint, DesignPoint, NestPoint, Tile, TransferPoint

__all__ = ["KERNEL_PLACE", "BufferPoint", "DesignPoint", "NestPoint", "Tile", "TransferPoint"]
