"""Small kernels of different kinds on which the readings of the formulas are compared."""

from __future__ import annotations

from builders import scop as build_scop

from sisyphus.ir import Scop

KERNELS = {
    "gemm": (
        """
        for i in range(20):
            for j in range(24):
                C[i, j] = C[i, j] * beta
        for i in range(20):
            for k in range(18):
                for j in range(24):
                    C[i, j] += alpha * A[i, k] * B[k, j]
        """,
        {"C": (20, 24), "A": (20, 18), "B": (18, 24)},
    ),
    "two products": (
        """
        for i in range(12):
            for j in range(16):
                for k in range(10):
                    E[i, j] += A[i, k] * B[k, j]
        for i in range(12):
            for j in range(14):
                for k in range(16):
                    F[i, j] += E[i, k] * D[k, j]
        """,
        {"A": (12, 10), "B": (10, 16), "D": (16, 14), "E": (12, 16), "F": (12, 14)},
    ),
    "atax": (
        """
        for i in range(30):
            for j in range(20):
                T[i] += A[i, j] * X[j]
        for i in range(30):
            for j in range(20):
                Y[j] += A[i, j] * T[i]
        """,
        {"A": (30, 20), "X": (20,), "T": (30,), "Y": (20,)},
    ),
    "triangle": (
        """
        for i in range(24):
            for j in range(i + 1):
                C[i, j] = C[i, j] * beta
        for i in range(24):
            for j in range(i + 1):
                for k in range(20):
                    C[i, j] += A[i, k] * A[j, k]
        """,
        {"C": (24, 24), "A": (24, 20)},
    ),
    "upper triangle": (
        """
        for i in range(20):
            for j in range(24):
                for k in range(i + 1, 20):
                    B[i, j] += A[k, i] * D[k, j]
        """,
        {"A": (20, 20), "B": (20, 24), "D": (20, 24)},
    ),
    "stencil": (
        """
        for i in range(1, 21):
            for j in range(1, 31):
                B[i, j] = c * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i - 1, j] + A[i + 1, j])
        """,
        {"A": (22, 32), "B": (22, 32)},
    ),
    "convolution": (
        """
        for y in range(16):
            for x in range(16):
                for p in range(3):
                    for q in range(5):
                        O[y, x] += I[y + p, x + q] * W[p, q]
        """,
        {"O": (16, 16), "I": (18, 20), "W": (3, 5)},
    ),
    "division": (
        """
        for i in range(40):
            for j in range(12):
                Q[i, j] = A[i, j] / R[j] - S[i]
        """,
        {"Q": (40, 12), "A": (40, 12), "R": (12,), "S": (40,)},
    ),
    "recurrence": (
        """
        for i in range(1, 25):
            for j in range(16):
                P[i, j] = P[i - 1, j] * A[i, j] + B[i, j]
        """,
        {"P": (25, 16), "A": (25, 16), "B": (25, 16)},
    ),
    "outer loop": (
        """
        for t in range(6):
            for i in range(1, 29):
                B[i] = A[i - 1] + A[i] + A[i + 1]
            for i in range(1, 29):
                A[i] = B[i - 1] + B[i] + B[i + 1]
        """,
        {"A": (30,), "B": (30,)},
    ),
    "rows under an outer loop": (
        """
        for i in range(12):
            X[i] = B[i]
            for j in range(i):
                X[i] -= L[i, j] * X[j]
            X[i] = X[i] / L[i, i]
        """,
        {"X": (12,), "B": (12,), "L": (12, 16)},
    ),
}


def built(name: str) -> Scop:
    text, extents = KERNELS[name]
    return build_scop(text, **extents)
