/* Equalisation of OFDM symbols: every subcarrier times the conjugate of its channel, scaled by the channel's power. */
#include <complex.h>

#define SYMBOLS 14
#define CARRIERS 64

void channel_complex(const float complex received[SYMBOLS][CARRIERS], const float complex channel[CARRIERS],
                     float complex sent[SYMBOLS][CARRIERS])
{
  for (int s = 0; s < SYMBOLS; s++)
    for (int k = 0; k < CARRIERS; k++) {
      float power = crealf(channel[k]) * crealf(channel[k]) + cimagf(channel[k]) * cimagf(channel[k]);
      sent[s][k] = received[s][k] * conjf(channel[k]) / power;
    }
}
