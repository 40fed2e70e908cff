"""From an affine C kernel to a verified HLS design: `import sisyphus as sisy` (docs/python.md).

Names are looked up when they are used, so that `sisy --help` imports no library that a search needs.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sisyphus.api import (
        Analysis,
        Design,
        KernelFile,
        analyze,
        board,
        devices,
        diff,
        emit,
        estimate,
        explain,
        optimize,
        optimize_units,
        read,
        read_back,
        resolve,
        solvers,
        verify,
    )
    from sisyphus.errors import SisyphusError

    __version__: str

__all__ = [
    "Analysis",
    "Design",
    "KernelFile",
    "SisyphusError",
    "__version__",
    "analyze",
    "board",
    "devices",
    "diff",
    "emit",
    "estimate",
    "explain",
    "optimize",
    "optimize_units",
    "read",
    "read_back",
    "resolve",
    "solvers",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("sisyphus-hls")
    if name not in __all__:
        raise AttributeError(f"module `sisyphus` has no `{name}`")
    from sisyphus import api, errors

    return errors.SisyphusError if name == "SisyphusError" else getattr(api, name)


def __dir__() -> list[str]:
    return __all__
