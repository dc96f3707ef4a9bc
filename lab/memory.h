/* memory.h - blocks that are freed together. */
#ifndef LAB_MEMORY_H
#define LAB_MEMORY_H

#include <stddef.h>

/* Frees several blocks, each of which may be NULL. */
#define lab_free(...)                                                                              \
    lab_free_all((void *const[]){ __VA_ARGS__ },                                                   \
                 sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void lab_free_all(void *const *blocks, size_t n);

#endif
