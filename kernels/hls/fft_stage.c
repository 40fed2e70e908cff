/* One stage of a radix-2 FFT over N points: butterflies of half a block, twiddle factors from outside. */
#define N 256
#define HALF 16

void fft_stage(float re[N], float im[N], const float cosine[HALF], const float sine[HALF])
{
  for (int block = 0; block < N / (2 * HALF); block++)
    for (int k = 0; k < HALF; k++) {
      int a = block * 2 * HALF + k, b = a + HALF;
      float tr = re[b] * cosine[k] - im[b] * sine[k];
      float ti = re[b] * sine[k] + im[b] * cosine[k];
      re[b] = re[a] - tr;
      im[b] = im[a] - ti;
      re[a] += tr;
      im[a] += ti;
    }
}
