/* The best value of a knapsack of 16 items whose weights are a constant table. */
#define ITEMS 16
#define CAP 128
static const int wt[ITEMS] = {3,5,7,9,11,2,4,8,13,6,10,12,14,15,1,16};
int knapsack(const int value[ITEMS])
{
  int dp[CAP + 1];
  for (int c = 0; c <= CAP; c++) dp[c] = 0;
  for (int i = 0; i < ITEMS; i++)
    for (int c = CAP; c >= 0; c--)
      if (c >= wt[i]) {
        int t = dp[c - wt[i]] + value[i];
        if (t > dp[c]) dp[c] = t;
      }
  return dp[CAP];
}
