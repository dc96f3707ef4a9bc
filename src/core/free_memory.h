/* free_memory.h - how much memory this process may still take: the least of what the system has
 * available, what its control groups allow, and `ulimit -v`. */
#ifndef CORE_FREE_MEMORY_H
#define CORE_FREE_MEMORY_H

#include <stddef.h>

/* Bytes; SIZE_MAX where nothing says. */
size_t recon_free_memory(void);

/* The control groups' share of it. root is where they are mounted (/sys/fs/cgroup), list a file like
 * /proc/self/cgroup; versions 1 and 2 of the kernel's interface. The pages of files that the kernel
 * may drop count as free. */
size_t recon_free_in_groups(const char *root, const char *list);

#endif
