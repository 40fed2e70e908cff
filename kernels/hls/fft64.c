/* A whole FFT of 64 points whose input is in bit-reversed order: six stages, each of another stride. */
#define LOG2 6
#define N (1 << LOG2)

void fft64(float re[N], float im[N], const float cosine[N / 2], const float sine[N / 2])
{
  for (int s = 0; s < LOG2; s++) {
    int half = 1 << s;
    for (int block = 0; block < (N >> (s + 1)); block++)
      for (int k = 0; k < half; k++) {
        int a = block * 2 * half + k;
        float c = cosine[k * (N >> (s + 1))], w = sine[k * (N >> (s + 1))];
        float tr = re[a + half] * c - im[a + half] * w;
        float ti = re[a + half] * w + im[a + half] * c;
        re[a + half] = re[a] - tr;
        im[a + half] = im[a] - ti;
        re[a] += tr;
        im[a] += ti;
      }
  }
}
