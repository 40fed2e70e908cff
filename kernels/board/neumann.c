/* Heat in a body of 96 x 96 x 96 points with a conductivity of its own at each, 20 steps. Nothing passes through its
 * border: beyond it a point sees itself. */

#define N 96
#define STEPS 20

void neumann(float heat[N][N][N], float next[N][N][N], const float conductivity[N][N][N])
{
    for (int t = 0; t < STEPS; t++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++) {
                    float here = heat[i][j][k];
                    float up = i > 0 ? heat[i - 1][j][k] : here;
                    float down = i < N - 1 ? heat[i + 1][j][k] : here;
                    float north = j > 0 ? heat[i][j - 1][k] : here;
                    float south = j < N - 1 ? heat[i][j + 1][k] : here;
                    float west = k > 0 ? heat[i][j][k - 1] : here;
                    float east = k < N - 1 ? heat[i][j][k + 1] : here;
                    float around = up + down + north + south + west + east;
                    next[i][j][k] = here + conductivity[i][j][k] * (around - 6.0f * here);
                }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++)
                    heat[i][j][k] = next[i][j][k];
    }
}
