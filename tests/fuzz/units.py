"""Programs dealt over two or three units, each of which then has a design of its own; knows no search."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from fuzz.harness import Part
from fuzz.knobs import only_integers

from sisyphus.analysis import (
    Box,
    Dealer,
    Dealing,
    Dependences,
    Restricted,
    Share,
    dependences,
    distribute,
    liveness,
    restricted,
)
from sisyphus.backends.hls import Project, project
from sisyphus.ir import ArrayId
from sisyphus.plan import Plan
from sisyphus.report import interface_data
from sisyphus.request import Kernel
from sisyphus.units.shares import unwanted
from sisyphus.verification import Verdict
from sisyphus.verification.units import UnitParts, check_shares


@dataclass(frozen=True)
class Dealt:
    """A kernel dealt over units: the share of each, its part of the source, and the kernel that this is."""

    found: Dependences
    dealing: Dealing
    shares: tuple[Share, ...]
    restricted: tuple[Restricted, ...]
    kernels: tuple[Kernel, ...]

    def checked(self, designs: Sequence[tuple[Kernel, Plan]]) -> Verdict:
        """Whether the shares are proved to be the source, with the designs of all units."""
        units = [
            UnitParts(part, share.delivers, plan, kernel.dependences, kernel.live, share.adds)
            for part, share, (kernel, plan) in zip(self.restricted, self.shares, designs, strict=True)
        ]
        return Verdict(tuple(check_shares(self.found, units)))

    def parts(self, plans: Sequence[Plan]) -> tuple[Part, ...]:
        made = (
            partial(part_of, first=part.elements, delivers=share.delivers, adds=frozenset(map(str, share.adds)))
            for part, share in zip(self.restricted, self.shares, strict=True)
        )
        return tuple(make(plan.scop.name, plan, project(plan)) for make, plan in zip(made, plans, strict=True))


def dealt_over_units(rng: random.Random, kernel: Kernel) -> Dealt | None:
    """A kernel in two or three shares of any sizes, in one of the ways that are found; None where there is none.

    Half of them compute as much as the largest one, as units do that are to share a design.
    """
    dealer = Dealer(kernel.dependences, tree=only_integers(kernel))
    ways = [dealt.dealing for dealt in dealer.dealings if dealt.dealing.extent > 1]
    if not ways:
        return None
    dealing = rng.choice(ways)
    cuts = rng.sample(range(1, dealing.extent), min(rng.choice((1, 1, 2)), dealing.extent - 1))
    bounds = (0, *sorted(cuts), dealing.extent)
    width = rng.choice((0, max(high - low for low, high in pairwise(bounds))))
    shares = [dealer.share(dealing, low, high, width) for low, high in pairwise(bounds)]
    known = tuple(share for share in shares if share is not None)
    if len(known) < len(shares):
        return None
    parts = tuple(restricted(kernel.scop, share) for share in known)
    kernels = tuple(_kernel(part, share) for part, share in zip(parts, known, strict=True))
    return Dealt(kernel.dependences, dealing, known, parts, kernels)


def _kernel(part: Restricted, share: Share) -> Kernel:
    found, temporaries = dependences(part.scop), unwanted(part.scop, share, ())
    return Kernel(
        part.scop, found, distribute(part.scop, found), liveness(part.scop, temporaries), temporaries=temporaries
    )


def part_of(
    top: str,
    plan: Plan,
    files: Project,
    first: Mapping[ArrayId, tuple[int, ...]] | None = None,
    delivers: Mapping[ArrayId, Box] | None = None,
    adds: frozenset[str] = frozenset(),
) -> Part:
    """A plan as the harness runs it."""
    return Part(
        top,
        files.files["kernel.h"],
        files.files["kernel.cpp"],
        interface_data(files.interface),
        {str(name): begin for name, begin in (first or {}).items()},
        None if delivers is None else {str(name): box for name, box in delivers.items()},
        adds,
    )


def words_of(dealing: Dealing, count: int) -> list[str]:
    """What a dealing has, for the count of what was covered."""
    kinds = [word for word, is_there in (("dealt apart", dealing.apart), ("added up", dealing.added)) if is_there]
    return [f"{count} units", *kinds]
