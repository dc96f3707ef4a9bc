/* owned.c - the files of a result, by its list. */
#include "core/owned.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/json.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *list;
} kinds[RECON_FOLDER_KINDS] = { { "result", "summary.json" }, { "pictures", "poses.csv" } };

const char *recon_folder_kind_name(recon_folder_kind kind)
{
    return kinds[kind].name;
}

const char *recon_folder_list(recon_folder_kind kind)
{
    return kinds[kind].list;
}

/* What Algorithm 1 may leave in a folder, and what discover did in version 0.1.0. A new file needs
 * no entry: results list their files. */
static const char *const frames[] = { "gamma.npy",
                                      "absolute.npy",
                                      "theta.npy",
                                      "background.npy",
                                      "identifiability.npy",
                                      "score.npy",
                                      "classes.npy",
                                      "neighbors.npy",
                                      "normalized.npy",
                                      "parameters.npy",
                                      "p.npy",
                                      "verdict.npy",
                                      "fold.npy",
                                      "modes.npy",
                                      "axis.npy",
                                      "summary.json",
                                      NULL };
static const char *const discovered[] = { "model.safetensors", "natural.npy", "z.npy", "g.npy",
                                          NULL };

static recon_status add_all(recon_ctx *ctx, recon_names *out, const char *const *names)
{
    recon_status status = RECON_OK;
    for (; status == RECON_OK && *names; names++)
        status = recon_names_add(ctx, out, *names);
    return status;
}

static recon_status add_listed(recon_ctx *ctx, recon_names *out, const json_t *files)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < json_array_size(files); i++)
        if (json_is_string(json_array_get(files, i)))
            status = recon_names_add(ctx, out, json_string_value(json_array_get(files, i)));
    return status;
}

/* A summary that cannot be read, or is somebody else's, lists nothing. */
static recon_status own_result(recon_ctx *ctx, recon_names *out, const char *path)
{
    json_t *summary = NULL;
    recon_status status = recon_json_read(ctx, &summary, path);
    if (status == RECON_ERR_MEMORY)
        return status;
    int ours = json_is_string(json_object_get(summary, "version"));
    const json_t *files = json_object_get(summary, "files");
    if (ours) /* `recon report` puts it there later */
        RECON_TRY(recon_names_add(ctx, out, "report.html"));
    if (ours && json_is_array(files)) {
        RECON_TRY(recon_names_add(ctx, out, "summary.json"));
        RECON_TRY(add_listed(ctx, out, files));
    } else {
        RECON_TRY(add_all(ctx, out, frames));
        if (ours && (json_object_get(summary, "all") || json_object_get(summary, "molecules")))
            RECON_TRY(add_all(ctx, out, discovered));
    }
    status = RECON_OK;
done:
    json_decref(summary);
    return status;
}

/* The first field of a line, from `at` on, to out: quotes around it, doubled within. Returns what
 * follows the line, NULL where there is no such field. */
static const char *read_field(char out[RECON_PATH], const char *at, const char *end)
{
    size_t n = 0;
    if (at == end || *at++ != '"')
        return NULL;
    for (; at < end && (*at != '"' || (at + 1 < end && at[1] == '"' && at++)); at++)
        if (n + 1 < RECON_PATH)
            out[n++] = *at;
    out[n] = '\0';
    const char *line = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return line ? line + 1 : NULL;
}

static recon_status own_pictures(recon_ctx *ctx, recon_names *out, const char *path)
{
    static const char head[] = "file,";
    char name[RECON_PATH];
    recon_file csv;
    recon_status status = recon_file_open(ctx, &csv, path);
    if (status != RECON_OK)
        return status == RECON_ERR_MEMORY ? status : RECON_OK; /* no list, no pictures */
    const char *at = (const char *)csv.bytes, *end = at + csv.size;
    if (csv.size > sizeof head && !memcmp(at, head, sizeof head - 1)) {
        status = recon_names_add(ctx, out, "poses.csv");
        at = memchr(at, '\n', csv.size);
        at = at ? at + 1 : end;
        while (status == RECON_OK && (at = read_field(name, at, end)))
            status = recon_names_add(ctx, out, name);
    }
    recon_file_close(&csv);
    return status;
}

recon_status recon_owned(recon_ctx *ctx, recon_names *out, recon_folder_kind kind, const char *dir)
{
    char path[RECON_PATH];
    recon_folder_join(path, dir, kinds[kind].list);
    recon_status status = (kind == RECON_RESULT ? own_result : own_pictures)(ctx, out, path);
    recon_names_sort(out);
    return status;
}
