/* Variables of the file: arrays, numbers that are read, written and count, and a result. */
float state[16];
float gain = 0.5f;
int count, i;
int size = 12;
unsigned char marks[4][3];

static float scaled(float v)
{
  count++;
  return v * gain + state[0];
}

float outside(float x[20], float y[20])
{
  float result = 0;
  for (i = 0; i < size; i++) {
    y[i] = scaled(x[i]);
    result += y[i];
  }
  for (int state = 0; state < 3; state++)
    marks[1][state] += 1;
  for (i = 1; i < 16; i++)
    state[i] = x[i] - state[i - 1];
  if (result < 0)
    return 0;
  else
    return result;
}
