/* processor.c - CPUID, XCR0 and the kernel's permission for AMX. See dnnl.h. */
#include "ops/cpu/dnnl.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TILE_CONFIG = 17, TILE_DATA = 18, GET_PERMISSION = 0x1022 }; /* Linux: asm/prctl.h */
#define TILE_STATES ((1ull << TILE_CONFIG) | (1ull << TILE_DATA))

typedef struct {
    unsigned a, b, c, d;
} leaf;

/* All zero where there is no such leaf. */
static leaf cpuid(unsigned number, unsigned part)
{
    leaf l = { 0 };
    __get_cpuid_count(number, part, &l.a, &l.b, &l.c, &l.d);
    return l;
}

int recon_processor_has_amx(void)
{
    const unsigned tile = 1u << 24, bf16 = 1u << 22;
    return (cpuid(7, 0).d & (tile | bf16)) == (tile | bf16);
}

/* The states that the operating system saves: it must know of the tiles. */
static uint64_t enabled_states(void)
{
    const unsigned osxsave = 1u << 27;
    unsigned low, high;
    if (!(cpuid(1, 0).c & osxsave))
        return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static int is_permitted(void)
{
    uint64_t states = 0;
    return syscall(SYS_arch_prctl, GET_PERMISSION, &states) == 0 && (states >> TILE_DATA & 1);
}

/* Palette 1: eight tiles of sixteen rows of 64 bytes. A CPU that reports no palette leaves oneDNN
 * with tiles that were never configured. */
static int has_usual_tiles(void)
{
    leaf most = cpuid(0x1d, 0), tile = cpuid(0x1d, 1);
    return most.a >= 1 && tile.b == (8u << 16 | 64) && (tile.c & 0xffff) == 16;
}

int recon_processor_may_use_amx(void)
{
    return recon_processor_has_amx() && (enabled_states() & TILE_STATES) == TILE_STATES &&
           is_permitted() && has_usual_tiles();
}

#else

int recon_processor_has_amx(void)
{
    return 0;
}

int recon_processor_may_use_amx(void)
{
    return 0;
}
#endif
