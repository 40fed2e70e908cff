"""A form of a kernel with other names for some of its arrays: views, copies for readers, and what these free."""

from __future__ import annotations

from collections.abc import Collection

from sisyphus import analysis
from sisyphus.analysis import Viewed
from sisyphus.ir import ArrayId
from sisyphus.request import Kernel
from sisyphus.values import replace


def with_views(kernel: Kernel, arrays: Collection[ArrayId] | None = None) -> Kernel | None:
    """The kernel with views of some arrays, or of all that can have them; None where none can.

    Dependences and distribution stay those of the kernel without views: they know what is one memory.
    """
    return _rewritten(kernel, analysis.with_views(kernel.scop, kernel.distribution, arrays))


def with_copies(kernel: Kernel, arrays: Collection[ArrayId] | None = None) -> Kernel | None:
    """The kernel with copies of some arrays, or of all that can have them; None where none can."""
    return _rewritten(kernel, analysis.with_copies(kernel.scop, kernel.distribution, arrays))


def freed(kernel: Kernel) -> Kernel | None:
    """The kernel where reads of copies of what it was given wait for nothing; None where that frees no loop."""
    found = analysis.freed(kernel.scop, kernel.distribution)
    if found is None:
        return None
    free, distribution = found
    return replace(kernel, scop=free.scop, dependences=free, distribution=distribution)


def _rewritten(kernel: Kernel, found: Viewed | None) -> Kernel | None:
    """The kernel with other names in its statements."""
    if found is None:
        return None
    return replace(kernel, scop=found.scop, live=found.live(kernel.live), views=found.views)
