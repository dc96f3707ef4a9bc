/* simd.h - wide vectors without asking more of the machine than the build did.
 *
 * A function marked RECON_CLONES is compiled for several instruction sets, and the loader takes the
 * widest that this processor has. Sanitizers instrument one version only. */
#ifndef CORE_SIMD_H
#define CORE_SIMD_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RECON_CLONES                                                                               \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RECON_CLONES
#endif

#endif
