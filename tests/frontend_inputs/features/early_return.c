/* The end of a function inside of loops: with a result, without one, in helpers, out of two loops and of a `switch`. */
static int find(const signed char m[8][8], int key)
{
  for (int i = 0; i < 8; i++) {
    if (m[i][0] < 0)
      continue;
    for (int j = 0; j < 8; j++) {
      if ((m[i][j] & 15) == key)
        return 8 * i + j;
      if (m[i][j] == 99)
        break;
    }
  }
  return -1;
}

static void fill(int y[4][8], const signed char m[8][8])
{
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++) {
      switch (m[i][j] & 3) {
      case 1:
        y[i][j] = 5;
        return;
      case 2:
        y[i][j] = 7;
        break;
      default:
        y[i][j] = m[i][j];
      }
    }
  y[0][0] = 1;
}

typedef struct {
  int at;
  float v, w;
} hit_t;

static hit_t look(const float x[16], float lim)
{
  hit_t none = {-1, 0.0f, 0.0f};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++)
      if (x[4 * i + j] > lim) {
        hit_t found = {4 * i + j, x[4 * i + j], lim};
        return found;
      }
    if (x[i] < -lim)
      return none;
  }
  return none;
}

float f(const signed char m[8][8], int where[4], int y[4][8], const float x[16], float limit, float seen[4])
{
  if (limit < -0.9f)
    return -1.0f;
  for (int n = 0; n < 2; n++) {
    hit_t hit = look(x, 0.5f + 0.25f * n);
    seen[2 * n] = hit.v + hit.at;
    seen[2 * n + 1] = hit.w;
  }
  for (int k = 0; k < 4; k++)
    where[k] = find(m, k);
  fill(y, m);
  for (int i = 0; i < 16; i++) {
    float square = x[i] * x[i];
    if (square > 0.7f)
      return square;
  }
  for (int i = 1; i < 16; i++) {
    where[1] += 1;
    if (x[i] < x[i - 1])
      return x[i];
  }
  return 0.0f;
}
