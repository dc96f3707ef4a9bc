/* pool.c - see pool.h. */
#include "normalize/pool.h"

static int is_in(const int64_t *list, size_t n, int64_t x)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return 1;
    return 0;
}

static size_t add_set(int64_t *out, size_t n, size_t most, const int64_t *member, size_t k,
                      int64_t own)
{
    for (size_t i = 0; i < k && n < most; i++)
        if (member[i] != own && !is_in(out, n, member[i]))
            out[n++] = member[i];
    return n;
}

size_t recon_pool_members(int64_t *out, const recon_class_table *t, size_t set, size_t most)
{
    const int64_t *own = t->member + set * t->k;
    size_t n = add_set(out, 0, most, own, t->k, (int64_t)set);
    for (size_t i = 0; i < t->k && n < most; i++)
        n = add_set(out, n, most, t->member + (size_t)own[i] * t->k, t->k, (int64_t)set);
    return n;
}
