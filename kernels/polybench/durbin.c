/* Durbin's recursion for the Yule-Walker system T y = -r, T the symmetric Toeplitz matrix with first row
 * (1, r_0, ..., r_(N-2)). Step k extends the solution of order k by one: alpha is the new reflection
 * coefficient, beta the prediction error, and y_i grows by alpha y_(k-1-i), through z. */

#ifndef N
#define N 400
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_durbin(DATA_TYPE r[N], DATA_TYPE y[N])
{
    DATA_TYPE z[N];
    DATA_TYPE alpha;
    DATA_TYPE beta;
    DATA_TYPE sum;
    int i, k;

#pragma scop
    y[0] = -r[0];
    beta = SCALAR_VAL(1.0);
    alpha = -r[0];
    for (k = 1; k < N; k++) {
        beta = (SCALAR_VAL(1.0) - alpha * alpha) * beta;
        sum = SCALAR_VAL(0.0);
        for (i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
#pragma endscop
}
