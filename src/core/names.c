/* names.c - a sorted list of names. */
#include "core/names.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

recon_status recon_names_add(recon_ctx *ctx, recon_names *names, const char *name)
{
    recon_status status =
        recon_grow(ctx, &names->name, &names->room, names->n, names->n + 1, sizeof *names->name);
    if (status != RECON_OK)
        return status;
    char *copy = strdup(name);
    if (!copy)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    names->name[names->n++] = copy;
    return RECON_OK;
}

void recon_names_free(recon_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
    *names = (recon_names){ 0 };
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void recon_names_sort(recon_names *names)
{
    if (names->n > 1)
        qsort(names->name, names->n, sizeof *names->name, compare);
}

int recon_names_have(const recon_names *names, const char *name)
{
    return names->n && bsearch(&name, names->name, names->n, sizeof *names->name, compare) != NULL;
}

int recon_names_below(const recon_names *names, const char *folder)
{
    size_t length = strlen(folder), from = 0, to = names->n;
    while (from < to) { /* the first that is not before "folder/" */
        size_t middle = from + (to - from) / 2;
        const char *name = names->name[middle];
        int order = strncmp(name, folder, length);
        if (order < 0 || (order == 0 && (unsigned char)name[length] < '/'))
            from = middle + 1;
        else
            to = middle;
    }
    return from < names->n && !strncmp(names->name[from], folder, length) &&
           names->name[from][length] == '/';
}
