/* Most base pairs in a fold of an RNA sequence. table_ij, for the stretch i..j, is the largest of:
 * end j free, end i free, the score inside plus one if the ends pair (codes that add to 3, never
 * neighbours), and the best split into two stretches. */

#ifndef N
#define N 500
#endif

#define DATA_TYPE int
#define MATCH(b1, b2) ((b1) + (b2) == 3 ? 1 : 0)
#define MAX_SCORE(s1, s2) ((s1) >= (s2) ? (s1) : (s2))

typedef int base;

void kernel_nussinov(base seq[N], DATA_TYPE table[N][N])
{
    int i, j, k;

#pragma scop
    for (i = N - 1; i >= 0; i--)
        for (j = i + 1; j < N; j++) {
            if (j - 1 >= 0)
                table[i][j] = MAX_SCORE(table[i][j], table[i][j - 1]);
            if (i + 1 < N)
                table[i][j] = MAX_SCORE(table[i][j], table[i + 1][j]);
            if (j - 1 >= 0 && i + 1 < N) {
                if (i < j - 1)
                    table[i][j] = MAX_SCORE(table[i][j], table[i + 1][j - 1] + MATCH(seq[i], seq[j]));
                else
                    table[i][j] = MAX_SCORE(table[i][j], table[i + 1][j - 1]);
            }
            for (k = i + 1; k < j; k++)
                table[i][j] = MAX_SCORE(table[i][j], table[i][k] + table[k + 1][j]);
        }
#pragma endscop
}
