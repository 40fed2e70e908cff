"""Source text to Scop, or the reasons why not; the only package that knows C syntax."""

from sisyphus.frontend.c.reader import read

__all__ = ["read"]
