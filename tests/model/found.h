/* found.h - a folder for what discover finds, in the scratch folder, and what is in it. */
#ifndef TESTS_MODEL_FOUND_H
#define TESTS_MODEL_FOUND_H

#include "scratch.h"
#include "core/json.h"

#include <recon/model/discover.h>

static char found_folder[600];

static inline void found_begin(void)
{
    snprintf(found_folder, sizeof found_folder, "%s", scratch("found"));
}

static inline const char *in_found(const char *name)
{
    static char path[4][1024];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", found_folder, name);
    return path[turn];
}

static inline int is_found(const char *name)
{
    return access(in_found(name), F_OK) == 0;
}

static inline void found_clear(void)
{
    DIR *d = opendir(found_folder);
    for (struct dirent *e; d && (e = readdir(d));)
        unlink(in_found(e->d_name));
    if (d)
        closedir(d);
    rmdir(found_folder);
}

/* Into an empty folder; the result is to be freed. */
static inline recon_discovery found_discover(recon_ctx *ctx, const char *backbone,
                                             const recon_data *data,
                                             const recon_discover_options *options)
{
    recon_discovery d;
    found_clear();
    CHECK_OK(ctx, recon_discover(ctx, &d, backbone, NULL, data, found_folder, options));
    return d;
}

/* To be given back to json_decref. */
static inline json_t *found_summary(recon_ctx *ctx)
{
    json_t *all;
    CHECK_OK(ctx, recon_json_read(ctx, &all, in_found("summary.json")));
    return all;
}

#endif
