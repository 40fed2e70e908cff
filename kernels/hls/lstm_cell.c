/* An LSTM cell whose gates are the values of an enumeration, with piecewise linear activations. */
#define HID 16
#define IN 8
enum gate { GI, GF, GG, GO, GATES };
static float hard_sigmoid(float x) { return x < -2.5f ? 0.0f : x > 2.5f ? 1.0f : 0.2f * x + 0.5f; }
static float soft_sign(float x) { float a = x < 0 ? -x : x; return x / (1.0f + a); }
void lstm_cell(const float x[IN], float h[HID], float c[HID], const float wx[GATES][HID][IN],
               const float wh[GATES][HID][HID], const float b[GATES][HID]) {
  float z[GATES][HID];
  for (enum gate g = GI; g < GATES; g++)
    for (int j = 0; j < HID; j++) {
      float s = b[g][j];
      for (int i = 0; i < IN; i++) s += wx[g][j][i] * x[i];
      for (int i = 0; i < HID; i++) s += wh[g][j][i] * h[i];
      z[g][j] = s;
    }
  for (int j = 0; j < HID; j++) {
    c[j] = hard_sigmoid(z[GF][j]) * c[j] + hard_sigmoid(z[GI][j]) * soft_sign(z[GG][j]);
    h[j] = hard_sigmoid(z[GO][j]) * soft_sign(c[j]);
  }
}
