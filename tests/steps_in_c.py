"""Time steps over rows of two arrays as C, for tests of what is searched where arrays do not fit on chip."""

from __future__ import annotations

#: Where there are 600 blocks of memory, these hold neither array.
STEPS = """
void steps(float a[1200][512], float b[1200][512])
{
    for (int t = 0; t < 8; t++) {
        for (int i = 1; i < 1199; i++)
            for (int j = 0; j < 512; j++)
                b[i][j] = a[i - 1][j] + a[i + 1][j];
        for (int i = 1; i < 1199; i++)
            for (int j = 0; j < 512; j++)
                a[i][j] = b[i - 1][j] + b[i + 1][j];
    }
}
"""
