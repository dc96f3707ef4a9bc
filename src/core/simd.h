/* simd.h - compiles plain C loops for several vector widths; the program chooses one when it
 * starts. To test a width, `make ISA=v3` builds the loops for that width alone. */
#ifndef CORE_SIMD_H
#define CORE_SIMD_H

/* Not under sanitizers, whose runtime is not initialised when the choice is made. */
#if defined(__x86_64__) && !defined(RECON_ISA) && defined(__GNUC__) && !defined(__clang__) &&      \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RECON_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RECON_CLONES
#endif

#endif
