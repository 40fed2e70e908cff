/* All shortest paths of a graph of N vertices, in place: after step k, path_ij is the length of the
 * shortest path from i to j whose inner vertices are all at most k,
 * path_ij := min(path_ij, path_ik + path_kj). */

#ifndef N
#define N 500
#endif

#define DATA_TYPE int

void kernel_floyd_warshall(DATA_TYPE path[N][N])
{
#pragma scop
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                path[i][j] = path[i][j] < path[i][k] + path[k][j]
                                 ? path[i][j]
                                 : path[i][k] + path[k][j];
#pragma endscop
}
