/* bf16.h - bfloat16: the upper half of a float. */
#ifndef CORE_BF16_H
#define CORE_BF16_H

#include <stdint.h>
#include <string.h>

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
