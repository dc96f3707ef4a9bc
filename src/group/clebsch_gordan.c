/* clebsch_gordan.c - coupling tensors: complex coefficients, then the real basis.
 *
 * A real component is made of the complex ones +m and -m alone, so that an entry is a sum of at
 * most eight terms and nothing needs to be stored. */
#include <recon/group/clebsch_gordan.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Exact while it is below 2^53. */
static double choose(int n, int k)
{
    double c = 1;
    if (k < 0 || k > n)
        return 0;
    for (int i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return c;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* <l1 m1 l2 m2 | l3 m1 + m2> by Racah's sum, its factorials gathered into binomials: integers, and
 * of a size that doubles hold. */
static double complex_coefficient(int l1, int m1, int l2, int m2, int l3)
{
    int s = l1 + l2 - l3, m3 = m1 + m2;
    double sum = 0;
    if (abs(m3) > l3)
        return 0;
    for (int k = larger(0, larger(l2 - l3 - m1, l1 - l3 + m2));
         k <= smaller(s, smaller(l1 - m1, l2 + m2)); k++)
        sum += (k % 2 ? -1 : 1) * choose(s, k) * choose(2 * l1 - s, l1 - m1 - k) *
               choose(2 * l2 - s, l2 + m2 - k);
    double up = choose(2 * l1, s) * choose(2 * l2, s);
    double down = choose(l1 + l2 + l3 + 1, s) * choose(2 * l1, l1 - m1) * choose(2 * l2, l2 - m2) *
                  choose(2 * l3, l3 - m3);
    return sum * sqrt(up / down);
}

/* The share of complex component m, one of +-|mu|, in the real component mu: real harmonics are
 * (Y_-a + (-1)^a Y_a) / sqrt 2 and i times the difference; and the factor (-i)^l. */
static double complex share(int l, int mu, int m)
{
    static const double complex ROTATION[4] = { 1, -I, -1, I };
    if (abs(m) != abs(mu))
        return 0;
    double sign = m > 0 && m % 2 ? -1 : 1;
    double complex q = mu == 0  ? 1
                       : mu > 0 ? sign * M_SQRT1_2
                                : (m > 0 ? I : -I) * sign * M_SQRT1_2;
    return ROTATION[l % 4] * q;
}

static double entry(int l1, int a, int l2, int b, int l3, int c)
{
    double complex sum = 0;
    for (int i = 0; i < (a ? 2 : 1); i++)
        for (int j = 0; j < (b ? 2 : 1); j++) {
            int m1 = i ? -a : a, m2 = j ? -b : b, m3 = m1 + m2;
            if (abs(m3) == abs(c))
                sum += share(l1, a, m1) * share(l2, b, m2) * conj(share(l3, c, m3)) *
                       complex_coefficient(l1, m1, l2, m2, l3);
        }
    return creal(sum) / sqrt(2 * l3 + 1);
}

void recon_clebsch_gordan(double *out, int l1, int l2, int l3)
{
    int triangle = l3 >= abs(l1 - l2) && l3 <= l1 + l2;
    for (int a = -l1; a <= l1; a++)
        for (int b = -l2; b <= l2; b++)
            for (int c = -l3; c <= l3; c++)
                *out++ = triangle ? entry(l1, a, l2, b, l3, c) : 0;
}
