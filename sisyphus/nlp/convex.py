"""Is the continuous relaxation of a model convex, so that its optimum is a lower bound? Knows no formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyomo.environ as pyo
from pyomo.core.expr.numeric_expr import (
    DivisionExpression,
    NegationExpression,
    ProductExpression,
    SumExpression,
    UnaryFunctionExpression,
)


def is_convex(model: pyo.ConcreteModel) -> bool:
    """True only where it is plain to see: sums of exponentials of linear terms, each on its right side."""
    return all(_has_curvature(body, sign) for body, sign in _bodies(model))


def _bodies(model: pyo.ConcreteModel) -> Iterator[tuple[Any, int]]:
    """Expressions that have to be convex (sign 1) or concave (sign -1)."""
    for objective in model.component_data_objects(pyo.Objective, active=True):
        yield objective.expr, 1 if objective.sense == pyo.minimize else -1
    for constraint in model.component_data_objects(pyo.Constraint, active=True):
        if constraint.has_ub():
            yield constraint.body, 1
        if constraint.has_lb():
            yield constraint.body, -1


def _has_curvature(expr: Any, sign: int) -> bool:
    """Is `sign * expr` convex? A negative answer may be wrong, a positive one is not."""
    degree = expr.polynomial_degree() if hasattr(expr, "polynomial_degree") else 0
    if degree in (0, 1):
        return True
    if isinstance(expr, SumExpression):
        return all(_has_curvature(part, sign) for part in expr.args)
    if isinstance(expr, NegationExpression):
        return _has_curvature(expr.args[0], -sign)
    if isinstance(expr, ProductExpression):
        left, right = expr.args
        return _scaled(left, right, sign) or _scaled(right, left, sign)
    if isinstance(expr, DivisionExpression):
        top, bottom = expr.args
        return _is_fixed(bottom) and _has_curvature(top, sign if pyo.value(bottom) > 0 else -sign)
    if isinstance(expr, UnaryFunctionExpression) and expr.getname() == "exp":
        return sign > 0 and expr.args[0].polynomial_degree() in (0, 1)
    return False


def _scaled(factor: Any, expr: Any, sign: int) -> bool:
    return _is_fixed(factor) and _has_curvature(expr, sign if pyo.value(factor) >= 0 else -sign)


def _is_fixed(expr: Any) -> bool:
    return not hasattr(expr, "polynomial_degree") or expr.polynomial_degree() == 0
