#define N 16
#define M 20
int g(const int a[N][M], const int key[N], int pos[N], int *err) {
  int n = 0, done = 0;
  *err = 0;
  for (int i = 0; i < N; i++) {
    pos[i] = -1;
    for (int j = 0; j < M; j++) {
      if (a[i][j] < -90) goto next;
      if (a[i][j] == key[i]) { pos[i] = j; goto next; }
      if (a[i][j] > 95) goto fail;
    }
    n++;
next:
    done++;
  }
  if (n > 10) goto fail2;
  goto end;
fail:
  *err = 1;
fail2:
  *err += 2;
end:
  return n + done;
}
