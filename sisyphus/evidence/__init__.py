"""What stands behind each construct of a design: reports, a manual, or only our conclusion."""

from sisyphus.evidence.register import CLASSES, Entry, Evidence, entries, entry, worst

__all__ = ["CLASSES", "Entry", "Evidence", "entries", "entry", "worst"]
