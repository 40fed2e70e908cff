"""What declarations inside of functions make of their names; knows no control flow."""

from __future__ import annotations

from pycparser import c_ast

from sisyphus.frontend.c.affine_faults import VALUE
from sisyphus.frontend.c.c_types import Declared, declared
from sisyphus.frontend.c.calls import Calls
from sisyphus.frontend.c.declarations import undeclared_yet
from sisyphus.frontend.c.diagnostics import Refused
from sisyphus.frontend.c.file import enumerate_constants
from sisyphus.frontend.c.scope import Function, SubArray, Unusable


class Locals(Calls):
    """Declares local names at the place that the translation has come to."""

    def declare(self, node: c_ast.Decl) -> None:
        """A name from here on: a constant, a function, another name for a place or a value, or a variable."""
        affines = self.affines
        names = affines.scope.names
        enumerate_constants(node.type, affines)
        if not node.name:
            return
        kind = declared(node.type, affines.typedefs)
        if node.name in names and not kind.is_function:
            raise affines.fault("redeclared", f"`{node.name}` is declared twice", node)
        names[node.name] = undeclared_yet(node)
        if kind.is_function:
            names[node.name] = affines.scope.outermost.names.get(node.name) or Function(node.name, node, None)
            return
        try:
            if kind.is_scalar and self._alias(node, kind):
                return
            if isinstance(kind.layers[0] if kind.layers else None, c_ast.PtrDecl):
                names[node.name] = self._pointer(node, kind)
                return
            variable = self.variables.local(node, kind, affines, len(self.guards))
        except Refused:
            names[node.name] = Unusable()
            raise
        names[node.name] = variable
        # What an iterator holds before its loop is nobody's business: to read it there is refused.
        if node.init is not None and not variable.counts and not variable.is_static:
            self.initialise(node, variable)

    def _pointer(self, node: c_ast.Decl, kind: Declared) -> SubArray:
        """A local pointer that is set once to a known place is a name for it."""
        affines = self.affines
        if node.init is None:
            words = f"pointer `{node.name}` may name any array"
            raise affines.fault("aliasing", words, node, "use the array's own name")
        if node.name in self.variables.facts.assigned:
            words = f"pointer `{node.name}` moves from element to element"
            start = affines.text(node.init)
            start = f"({start})" if isinstance(node.init, c_ast.BinaryOp) else start
            hint = f"leave it where it is and count with an index: `{start}[i]`"
            raise affines.fault("pointer-arithmetic", words, node, hint)
        return self.pointed(node, kind, node.init)

    def _alias(self, node: c_ast.Decl, kind: Declared) -> bool:
        """A local integer that is set once to an affine value stands for that value."""
        affines = self.affines
        if node.init is None or kind.scalar is None or kind.problem or kind.scalar.is_float:
            return False
        if node.name in self.variables.facts.assigned or node.storage or isinstance(node.init, c_ast.InitList):
            return False
        if not self.variables.shapes_loops(node.name) and not self.expressions.is_index(node.init):
            return False
        try:
            found = affines.alias(node.init, kind.scalar, VALUE)
        except Refused as refused:
            is_open = refused.diagnostic is not None and refused.diagnostic.rule == "unbound-parameter"
            if is_open and node.name not in self.variables.facts.bounding:
                return False
            raise
        if found is None:
            return False
        affines.scope.names[node.name] = found
        return True
