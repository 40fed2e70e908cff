/* Variables of an enumerated type: `unsigned` as GCC has it, `int` where a value is negative; arguments, locals, loops. */
typedef enum { IDLE, LOAD = 4, RUN } state_t;
enum side { LEFT = -1, NONE, RIGHT };
enum gate { INPUT, FORGET, GATES };
#define LANES (2 * GATES)

void f(const state_t first, const enum side turn[16], const state_t next[16], int y[16], long long below[16],
       float z[GATES][8])
{
  state_t now = first;
  enum gate g;
  for (int i = 0; i < 16; i++) {
    enum { SMALL, LARGE } size = turn[i] > NONE ? LARGE : SMALL;
    below[i] = (turn[i] - 3 < 0) + (now - RUN > 0) * 2LL;
    if (now == IDLE && turn[i] != LEFT)
      now = LOAD;
    else if (now == LOAD)
      now = RUN;
    else
      now = next[i];
    y[i] = (int)now * 3 + size + LANES;
  }
  for (g = INPUT; g < GATES; g++)
    for (int j = 0; j < 8; j++)
      z[g][j] = z[g][j] * 0.5f + (float)g;
}
