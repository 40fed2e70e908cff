"""How much a search looks at before it leaves something for later or out, as one value; knows no search.

Larger numbers take longer or more memory; what is proved holds with any of them.
"""

from __future__ import annotations

import math

from sisyphus.values import dataclass


@dataclass(frozen=True)
class Effort:
    """Counts, shares (of 1), factors, and seconds where a name ends in `_s`."""

    # tables of choices (options, places, tilebeats, measured_costs)
    tilings_at_once: int = 1024  # of one kind, whose places are looked at together; bounds memory
    tilings_in_turn: int = 8192  # of all kinds
    places_at_once: int = 1 << 18  # pairs of a tiling and a family
    counted_at_once: int = 200_000  # candidates; bounds memory
    kinds_in_turn: int = 8  # places of transfers whose choices are counted between two looks at the clock
    new_entries: int = 200_000  # that a table gets at once: of more, the cheapest
    sampled_places: int = 50_000  # choices with places that are looked at for a sample
    tile_sizes: int = 2_000  # combinations for one array of a nest; of more it may have the widest beat
    points_per_look: int = 20_000_000  # that counts look at, of all candidates together, between two looks at the clock
    quick_tilings: int = 200  # of a nest: where fewer are, not all of its tilings are counted
    budget_parts: int = 1024  # what nests take is rounded down to such a part of a budget, so that more are alike
    small_share: int = 8  # small arrays are never tiled if all of them take less than this part of the memory,
    small_arrays: int = 4  # and there are more

    # lower bounds and first designs (lower_bounds, start, greedy)
    many_nests: int = 100  # from which on a search begins with a design that needs no tables,
    many_loops: int = 12  # and so many loops of one nest
    several_nests: int = 8  # from which on short searches look for one before anything is bounded
    far_from_bound: float = 4.0  # times which a design takes from another space without keeping them from being made
    tilings_of_start: int = 5_000  # of a nest, up to which all are counted for a first short search
    tilings_per_look: int = 20_000  # that are counted between two looks at the clock
    ports_together: int = 4096  # combinations of numbers of ports of arrays that move together, for a bound
    parts_of_placements: int = 200  # bounded before the first one is searched, for a bound of all
    patience_with_placements: int = 4  # searched to the end, where all arrays fit, before others get a short search
    sampled_tilings: int = 200  # per nest in a short search, by their cycles,
    sampled_prices: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # and as many by these,
    sampled_more: int = 3  # times as many where arrays are tiled,
    sampled_placements: int = 4  # of which there are so many once a design is known
    budget_shares: tuple[float, ...] = (1.0, 0.92, 0.85, 0.77, 0.7, 0.6, 0.5, 0.4, 0.3)  # for a first design,
    budget_halves: int = 2  # with so many halves between the last two that are tried
    prices: tuple[float, ...] = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)  # of all of every budget, as shares of cycles
    least_price: float = 0.01  # while nests are chosen anew: a smaller design is less likely to be refused
    improved_designs: int = 3  # combinations found at the prices,
    improving_sweeps: int = 4  # in which every nest is chosen anew so often,
    worth_a_pair: float = 0.1  # and the one that loses such a share of all cycles together with another one,
    paired_entries: int = 40  # with so many of its entries
    near_tilings: int = 400  # per nest that a known design is improved with, of both kinds each,
    near_places: int = 10  # with transfers at so many kinds of places,
    near_nodes: int = 600  # and with so many combinations of one nest, fewer of several
    near_share: float = 0.5  # of the time that is left, as long as it finds something,
    near_widest: int = 8  # with up to so many times as many tilings,
    asking_share: float = 0.1  # of the cycles, from which on a nest asks for other partitions,
    asking_prices: tuple[float, ...] = (0.3, 3.0, 0.03)  # of all of every budget, as shares of all cycles,
    asked_partitions: int = 16  # for so many at each price,
    answering_tilings: int = 100  # and so many, per other nest, that go with them
    coupled_entries: int = 40  # and the best entries of each nest counted next to the others
    worth_a_sweep: float = 0.001  # share of the cycles by which a design has to become better to go on

    # combination (combine, multipliers, nodes, fitting, lookahead, coupling, linear)
    worth_a_restart: float = 0.01  # share of the cycles by which a better combination has to be, to begin anew
    entries_ahead: int = 64  # of the last table, looked at together at first,
    entries_growth: int = 8  # and so many times as many then
    entries_patience: int = 5  # entries of no use before others are put off
    price_halvings: int = 40
    price_rounds: int = 3  # in which all prices are revised after one another
    remembered_entries: int = 4_000_000  # of counted tables, before they are dropped
    remembered_recounts: int = 5_000  # entries of a nest next to others, at half a kilobyte each
    remembered_joins: int = 10_000_000  # states that others come to, of an array
    remembered_sums: int = 20_000  # over resident arrays
    demand_pairs: int = 500_000  # states and demands of a table; of more, any demand counts as possible
    recounted_entries: int = 20_000  # of a table next to others; of more, those as if alone, or the chosen one
    choices_for_ours: int = 10_000  # so few are not given to another solver, which takes longer to start

    # windows (exact): widths as shares of what everything costs at least
    windows: tuple[float, ...] = (
        *(0.002, 0.01, 0.03, 0.06, 0.1, 0.2, 0.35, 0.6, 1.0, 1.5, 2.5, 5.0, 10.0, 100.0),
        math.inf,
    )
    choices_without_windows: int = 300_000  # once there is the best design of some placement to compare with
    choices_on_chip: int = 20_000  # the same in any case, where all arrays are on chip
    near: float = 0.35  # that costs no more than this share above what everything costs at least
    parts_without_ports: int = 1_000  # of a combination, before what it costs without ports is taken as bounded
    easy_share: float = 0.5  # of the time limit after which, without a design, short searches look for one, or
    easy_work: int = 200_000  # after so much work, whichever is less; as much as a refused design:
    work_of_a_look: int = 1_000  # choices that a look at a placement is worth,
    work_of_a_part: int = 300  # and a part of a combination, which takes milliseconds for a kernel of several nests
    rechecked_choices: int = 1 << 18  # of a nest at first; where they are not all, twice as many in the next

    # refused designs (by_exact, by_adapter, repair)
    refused_designs: int = 30  # before the search gives up on refusing them one by one,
    tightened_by: float = 1.02  # and tightens a budget by at least this factor,
    tightenings: int = 8  # so often
    beats_together: int = 256  # choices of beats of several arrays that are looked at together
    spare_designs: int = 10  # kept for each one wanted, as some may be too much alike
    polish_s: float = 5.0  # for improving what was found within tightened budgets
    asked_share: float = 0.4  # of the time that a solver gets where what it finds is then rounded
    rounding_radii: tuple[float, ...] = (4.0, 8.0, 16.0)  # factors between trip counts and rounded ones, in turn
    repair_radii: tuple[float, ...] = (2.0, 4.0, 8.0, 16.0, 64.0, math.inf)  # the same of fractional ones

    # improvement without a proof (refine, fit, smallest, polish)
    refined_tilings: int = 120  # of a nest in one sweep,
    refined_factor: float = 4.0  # that cost no more than so many times its best one
    refined_counted: int = 5_000  # tilings that are counted for that; of more, those of the lowest lower bounds
    turning_share: float = 0.02  # of its cycles columns of beats, which no report has, must save a design in rows
    improving_share: float = 0.15  # of the time limit, kept for a design that is not proved to be the best
    budget_step: float = 0.01  # a large budget is told to this share of itself: each step costs a search


EFFORT = Effort()
