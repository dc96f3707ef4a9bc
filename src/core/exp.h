/* exp.h - exponentials that the compiler can vectorize: no branch, no table, no call.
 *
 * The largest errors, over all floats in the range, are 2 units in the last place for the
 * exponential and absolute 2e-7 for the functions made of it. */
#ifndef CORE_EXP_H
#define CORE_EXP_H

#include <stdint.h>
#include <string.h>

/* e^x; below -87.3 it is 0 or nearly, above 88.7 infinity. NaN gives NaN. */
static inline float recon_expf(float x)
{
    float inside = x < -87.3f ? -87.3f : x;
    inside = inside > 88.8f ? 88.8f : inside;
    float shifted =
        inside * 1.44269504f + 12582912.0f; /* 1.5 2^23: the integer is in the low bits */
    float k = shifted - 12582912.0f;
    float r = inside - k * 0.693145752f; /* log 2 in two parts, the first of few bits */
    r -= k * 1.428606820e-6f;
    float p = 1.979032822e-4f; /* e^r = 1 + r + r^2 p(r), the best p of degree 5 */
    p = p * r + 1.394469291e-3f;
    p = p * r + 8.333497681e-3f;
    p = p * r + 4.166629538e-2f;
    p = p * r + 1.666666567e-1f;
    p = p * r + 0.5f;
    p = p * r * r + r + 1;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    uint32_t half = (bits << 23) + 0x3f000000; /* 2^(k - 1): 2^128 would not be a float */
    float power;
    memcpy(&power, &half, sizeof power);
    return p * power * 2;
}

/* 1 / (1 + e^-x): e^88.8 is infinite and gives 0. */
static inline float recon_sigmoidf(float x)
{
    return 1 / (1 + recon_expf(-x));
}

/* log(1 + u) for u in [0, 1], as 2 atanh(u / (2 + u)). */
static inline float recon_log1pf_unit(float u)
{
    float s = u / (2 + u), t = s * s;
    float p = 1.0f / 15;
    p = p * t + 1.0f / 13;
    p = p * t + 1.0f / 11;
    p = p * t + 1.0f / 9;
    p = p * t + 1.0f / 7;
    p = p * t + 1.0f / 5;
    p = p * t + 1.0f / 3;
    return 2 * (p * t * s + s);
}

#endif
