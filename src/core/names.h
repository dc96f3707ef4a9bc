/* names.h - a list of names, sorted, so that one can be looked up: the files of a folder. */
#ifndef CORE_NAMES_H
#define CORE_NAMES_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* Begins as zero. Paths inside a folder have '/' between their parts. */
typedef struct {
    char **name;
    size_t n, room;
} recon_names;

recon_status recon_names_add(recon_ctx *ctx, recon_names *names, const char *name);
void recon_names_free(recon_names *names);

/* After the last name was added, before the first question. */
void recon_names_sort(recon_names *names);
int recon_names_have(const recon_names *names, const char *name);
/* Whether one of them lies below the folder, at any depth. */
int recon_names_below(const recon_names *names, const char *folder);

#endif
