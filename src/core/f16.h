/* f16.h - half precision, as NumPy's float16: 5 bits of exponent, 10 of fraction. */
#ifndef CORE_F16_H
#define CORE_F16_H

#include <stdint.h>
#include <string.h>

#define RECON_F16_MOST 65504.0f /* the largest that is finite */

static inline float recon_f16_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = (uint32_t)(half & 0x7fff) << 13;
    /* infinity and NaN: all ones stay all ones */
    uint32_t bits = rest >= 0x0f800000 ? 0x70000000 | rest : rest;
    float size;
    memcpy(&size, &bits, sizeof size);
    /* The exponents of a half, moved to where a float has them, are too small by 112; a product
     * with 2^112 puts that right for normal and subnormal numbers alike. */
    if (rest < 0x0f800000)
        size *= 0x1p112f;
    return sign ? -size : size;
}

/* To nearest, ties to even, beyond the range to infinity. A NaN stays one. */
static inline uint16_t recon_f16_from_float(float value)
{
    uint32_t bits, sign;
    float size;
    memcpy(&bits, &value, sizeof bits);
    sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (bits >= 0x477ff000) /* what rounds to 2^16 */
        return (uint16_t)(sign | 0x7c00);
    if (bits < 0x38800000) { /* below 2^-14 a sum with 0.5 rounds to multiples of 2^-24 */
        memcpy(&size, &bits, sizeof size);
        size += 0.5f;
        memcpy(&bits, &size, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3f000000));
    }
    return (uint16_t)(sign | ((bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13));
}

/* --- bfloat16: the upper half of a float */

static inline float recon_bf16_to_float(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To nearest, ties to even, beyond the range to infinity. A NaN stays one: rounding could carry it
 * into infinity, so it is made quiet instead. */
static inline uint16_t recon_bf16_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
