/* cholesky.c - see cholesky.h. */
#include "stats/cholesky.h"

#include <math.h>

double recon_cholesky(double *l, const double *a, size_t n, double least)
{
    double log_det = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = j <= i ? a[i * n + j] : 0;
            for (size_t k = 0; k < j && j <= i; k++)
                sum -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = j > i ? 0 : i == j ? sqrt(fmax(sum, least)) : sum / l[j * n + j];
            log_det += i == j ? log(l[i * n + j]) : 0;
        }
    return log_det;
}

void recon_cholesky_forward(double *out, const double *l, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = v[i];
        for (size_t j = 0; j < i; j++)
            sum -= l[i * n + j] * out[j];
        out[i] = sum / l[i * n + i];
    }
}

void recon_cholesky_backward(double *out, const double *l, const double *v, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        double sum = v[i];
        for (size_t j = i + 1; j < n; j++)
            sum -= l[j * n + i] * out[j];
        out[i] = sum / l[i * n + i];
    }
}
