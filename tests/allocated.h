/* allocated.h - how much memory a piece of work has at its peak, through the sanitizers' hooks:
 * they see whatever any library allocates. Other builds have no hooks, and then nothing is seen. */
#ifndef TESTS_ALLOCATED_H
#define TESTS_ALLOCATED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *))
    __attribute__((weak));
size_t __sanitizer_get_allocated_size(const volatile void *block) __attribute__((weak));

static _Atomic long allocated_now, allocated_most;

static inline void allocated_on_malloc(const volatile void *block, size_t size)
{
    (void)block;
    long now = atomic_fetch_add(&allocated_now, (long)size) + (long)size;
    long most = atomic_load(&allocated_most);
    while (now > most && !atomic_compare_exchange_weak(&allocated_most, &most, now))
        continue;
}

static inline void allocated_on_free(const volatile void *block)
{
    if (block)
        atomic_fetch_sub(&allocated_now, (long)__sanitizer_get_allocated_size(block));
}

/* Whether anything is seen; under AddressSanitizer it must be. */
static inline int allocated_watch(void)
{
    int seen =
        __sanitizer_install_malloc_and_free_hooks &&
        __sanitizer_install_malloc_and_free_hooks(allocated_on_malloc, allocated_on_free) > 0;
#if defined(__SANITIZE_ADDRESS__)
    if (!seen)
        abort();
#endif
    return seen;
}

/* From here on the peak is that above what is held now. */
static inline void allocated_begin(void)
{
    atomic_store(&allocated_now, 0);
    atomic_store(&allocated_most, 0);
}

static inline long allocated_peak(void)
{
    return atomic_load(&allocated_most);
}

#endif
