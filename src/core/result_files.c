/* result_files.c - the files of a result, by its list. */
#include "core/picture.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What Algorithm 1 writes, where there is no summary to list it. */
static const char *const frames[] = {
    "gamma.npy", "absolute.npy", "theta.npy",     "background.npy", "identifiability.npy",
    "score.npy", "classes.npy",  "neighbors.npy", "normalized.npy", "parameters.npy",
    "p.npy",     "verdict.npy",  "fold.npy",      "modes.npy",      "axis.npy"
};
enum { FRAMES = sizeof frames / sizeof *frames };

static recon_status add_listed(recon_ctx *ctx, recon_names *out, const json_t *files)
{
    for (size_t i = 0; i < json_array_size(files); i++)
        if (json_is_string(json_array_get(files, i)))
            RECON_CHECK(recon_names_add(ctx, out, json_string_value(json_array_get(files, i))));
    return RECON_OK;
}

static int lists(const json_t *files, const char *name)
{
    for (size_t i = 0; i < json_array_size(files); i++) {
        const char *text = json_string_value(json_array_get(files, i));
        if (text && !strcmp(text, name))
            return 1;
    }
    return 0;
}

/* Other programs have a summary.json too. Every result of ours has a gamma.npy. */
static int is_ours(const json_t *summary)
{
    return json_is_string(json_object_get(summary, "version")) &&
           lists(json_object_get(summary, "files"), "gamma.npy");
}

/* A list that cannot be read is none, but one that was not read may be one. */
static int is_no_fault_of_it(recon_status status)
{
    return status == RECON_ERR_MEMORY || status == RECON_ERR_INTERRUPTED;
}

/* Without a summary of ours there is no result, and nothing here is ours to remove. */
static recon_status own_result(recon_ctx *ctx, recon_names *out, const char *path)
{
    json_t *summary = NULL;
    recon_status status = recon_json_read(ctx, &summary, path);
    if (is_no_fault_of_it(status))
        return status;
    status = RECON_OK;
    if (!is_ours(summary))
        goto done;
    RECON_TRY(recon_names_add(ctx, out, "summary.json"));
    RECON_TRY(recon_names_add(ctx, out, "report.html")); /* `recon report` puts it there later */
    RECON_TRY(add_listed(ctx, out, json_object_get(summary, "files")));
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

static int begins(const recon_file *f, const char *text)
{
    return f->size >= strlen(text) && !memcmp(f->bytes, text, strlen(text));
}

/* What upright puts beside the pictures: a page, and the result that they were rotated by. */
static recon_status own_found(recon_ctx *ctx, recon_names *out, const char *list)
{
    recon_names inner = { 0 };
    char path[RECON_PATH], name[RECON_PATH];
    snprintf(path, sizeof path, "%.*s" RECON_FOUND "/summary.json",
             (int)(strrchr(list, '/') + 1 - list), list);
    recon_status status = own_result(ctx, &inner, path);
    if (status == RECON_OK && inner.n)
        status = recon_names_add(ctx, out, "report.html");
    for (size_t i = 0; status == RECON_OK && i < inner.n; i++)
        status = recon_names_add(ctx, out, recon_folder_join(name, RECON_FOUND, inner.name[i]));
    recon_names_free(&inner);
    return status;
}

/* Up to 0.2.0 the list had the pictures' names, now it has those of the inputs. */
static recon_status own_pictures(recon_ctx *ctx, recon_names *out, const char *path)
{
    char name[RECON_PATH], picture[RECON_PATH + 8];
    recon_file csv;
    recon_status status = recon_file_open(ctx, &csv, path);
    if (status != RECON_OK)
        return is_no_fault_of_it(status) ? status : RECON_OK; /* no list, no pictures */
    const char *at = (const char *)csv.bytes, *end = at + csv.size;
    const char *line = csv.size ? memchr(at, '\n', csv.size) : NULL;
    int old = begins(&csv, "file,pose_deg");
    if (line && begins(&csv, "molecule,index,")) {
        RECON_TRY(recon_names_add(ctx, out, "poses.csv"));
        RECON_TRY(recon_names_add(ctx, out, RECON_UPRIGHT_XYZ));
        RECON_TRY(own_found(ctx, out, path));
    } else if (line && (old || begins(&csv, "file,index,"))) {
        status = recon_names_add(ctx, out, "poses.csv");
        at = line + 1;
        while (status == RECON_OK && (at = read_field(name, at, end))) {
            recon_picture_name(picture, sizeof picture, name);
            status = recon_names_add(ctx, out, old ? name : picture);
        }
        if (status == RECON_OK)
            status = own_found(ctx, out, path);
    }
done:
    recon_file_close(&csv);
    return status;
}

int recon_is_result_file(const char *name, size_t length)
{
    static const char *const others[] = { "summary.json", "report.html", "poses.csv" };
    for (size_t i = 0; i < FRAMES + 3; i++) {
        const char *known = i < FRAMES ? frames[i] : others[i - FRAMES];
        if (strlen(known) == length && !strncmp(known, name, length))
            return 1;
    }
    return 0;
}

/* The names that are owned may be of files that were never written, as the page of `recon report`. */
static void drop_absent(recon_names *names, const char *dir)
{
    char path[RECON_PATH];
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++)
        if (access(recon_folder_join(path, dir, names->name[i]), F_OK) == 0)
            names->name[n++] = names->name[i];
        else
            free(names->name[i]);
    names->n = n;
}

recon_status recon_written(recon_ctx *ctx, recon_names *out, recon_folder_kind kind,
                           const char *dir)
{
    char path[RECON_PATH];
    RECON_CHECK(recon_result_files(ctx, out, kind, dir));
    if (kind == RECON_RESULT)
        drop_absent(out, dir);
    if (out->n > 0 || kind != RECON_RESULT)
        return RECON_OK;
    for (size_t i = 0; i < FRAMES; i++) /* without a summary */
        if (access(recon_folder_join(path, dir, frames[i]), F_OK) == 0)
            RECON_CHECK(recon_names_add(ctx, out, frames[i]));
    recon_names_sort(out);
    return RECON_OK;
}

recon_status recon_result_files(recon_ctx *ctx, recon_names *out, recon_folder_kind kind,
                                const char *dir)
{
    char path[RECON_PATH];
    recon_folder_join(path, dir, kinds[kind].list);
    recon_status status = (kind == RECON_RESULT ? own_result : own_pictures)(ctx, out, path);
    recon_names_sort(out);
    return status;
}
