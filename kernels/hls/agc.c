/* Automatic gain control whose envelope and gain are variables of the file, as a stream of blocks needs them. */
#include <math.h>
static float env = 0.0f, gain = 1.0f;
void agc(const float in[1024], float out[1024]) {
  for (int i = 0; i < 1024; ++i) {
    float a = fabsf(in[i]);
    float c = a > env ? 0.1f : 0.001f;
    env += c * (a - env);
    if (env > 1e-6f) gain = 0.5f / env;
    out[i] = gain * in[i];
  }
}
