/* formats.c - known sets and file formats, and opening data by a name. */
#include "data/formats.h"
#include "core/fail.h"
#include "core/text.h"
#include "data/folder.h"
#include "data/xyz.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTS "/train|val|test"

static const recon_format formats[] = {
    { "garments", "", &recon_images_kind, .images = recon_read_garments },
    { "mnist", PARTS, &recon_images_kind, .images = recon_read_known },
    { "mnist12k", PARTS, &recon_images_kind, .images = recon_read_known },
    { "fashion", PARTS, &recon_images_kind, .images = recon_read_known },
    { "cifar10", PARTS, &recon_images_kind, .images = recon_read_known },
    { "idx:", "FILE", &recon_images_kind, .images = recon_read_idx,
      .endings = { "-ubyte", "-ubyte.gz" } },
    { "npy:", "FILE", &recon_images_kind, .images = recon_read_npy, .endings = { ".npy" } },
    { "images:", "DIR|FILE", &recon_images_kind, .images = recon_folder_read,
      .is_file = recon_picture_is_read, .one_by_one = 1 },
    { "amat:", "FILE", &recon_images_kind, .images = recon_amat_read, .endings = { ".amat" } },
    { "conformers", PARTS "|all", &recon_molecules_kind, .molecules = recon_read_conformers },
    { "xyz:", "FILE|DIR|LIST", &recon_molecules_kind, .molecules = recon_read_xyz,
      .endings = { ".xyz", ".extxyz" }, .is_folder = recon_xyz_is_folder, .one_by_one = 1 },
    { "sdf:", "FILE", &recon_molecules_kind, .molecules = recon_read_sdf,
      .endings = { ".sdf", ".mol" }, .one_by_one = 1 },
    { "geom:", "FILE", &recon_molecules_kind, .molecules = recon_read_geom,
      .endings = { ".msgpack" } },
    { "flat:", "DIR", &recon_molecules_kind, .molecules = recon_read_flat,
      .is_folder = recon_flat_is },
};
enum { FORMATS = sizeof formats / sizeof *formats };

static int is_prefix(const recon_format *f)
{
    return strchr(f->name, ':') != NULL;
}

const recon_format *recon_format_of(const char *spec)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const recon_format *f = &formats[i];
        size_t n = strlen(f->name);
        if (!strncmp(spec, f->name, n) &&
            (is_prefix(f) || spec[n] == '\0' || (spec[n] == '/' && *f->words)))
            return f;
    }
    return NULL;
}

static int ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcasecmp(path + n - m, ending);
}

const recon_format *recon_format_of_file(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i].is_file && formats[i].is_file(path))
            return &formats[i];
        for (int e = 0; e < RECON_ENDINGS && formats[i].endings[e]; e++)
            if (ends_in(path, formats[i].endings[e]))
                return &formats[i];
    }
    return NULL;
}

/* What is not told by a format of its own holds pictures. */
static const recon_format *format_of_folder(const char *path)
{
    for (size_t i = FORMATS; i-- > 0;) /* arrays before the texts that may lie beside them */
        if (formats[i].is_folder && formats[i].is_folder(path))
            return &formats[i];
    return recon_format_of("images:");
}

const char *recon_format_list(char *out, size_t room)
{
    const recon_data_kind *kind = NULL;
    size_t used = 0;
    for (size_t i = 0; i < FORMATS && used < room; i++) {
        const recon_format *f = &formats[i];
        int same = f->kind == kind;
        used += (size_t)snprintf(out + used, room - used, "%s%s%s%s%s",
                                 same   ? ", "
                                 : kind ? "; "
                                        : "",
                                 same ? "" : f->kind->name, same ? "" : ": ", f->name, f->words);
        kind = f->kind;
    }
    return out;
}

/* The known set that may have been meant; NULL: nobody knows. */
static const char *nearest(const char *spec)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, "/"), spec);
    for (size_t i = 0; i < FORMATS; i++)
        if (!is_prefix(&formats[i]) && recon_resembles(name, formats[i].name))
            return formats[i].name;
    return NULL;
}

recon_status recon_format_find(recon_ctx *ctx, const recon_format **out, const char **path,
                               const char *spec, const recon_data_kind *kind)
{
    char list[512];
    const recon_format *f = *out = recon_format_of(spec);
    const char *near = f ? NULL : nearest(spec);
    if (!f)
        return recon_fail(ctx, RECON_ERR_INPUT, "unknown data set '%s'%s%s%s: %s; known are %s",
                          spec, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "",
                          access(spec, F_OK) == 0 ? "its name does not say what kind of file it is"
                                                  : "there is no such file or folder",
                          recon_format_list(list, sizeof list));
    if (f->kind != kind)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: %s, where %s are needed: recon_data_open reads them, in Python "
                          "read_%s",
                          spec, f->kind->name, kind->name, f->kind->name);
    *path = is_prefix(f) ? spec + strlen(f->name) : spec;
    return RECON_OK;
}

const char *recon_images_folder(const char *spec)
{
    const recon_format *f = recon_format_of(spec);
    return f && f->images == recon_folder_read ? spec + strlen(f->name) : NULL;
}

/* --- data of any kind ------------------------------------------------------------------------- */

int recon_data_is(const char *spec)
{
    return recon_format_of(spec) != NULL;
}

const recon_data_kind *recon_data_kind_of(const char *spec)
{
    const recon_format *f = recon_format_of(spec);
    return f ? f->kind : &recon_images_kind;
}

char *recon_data_spec(char *out, size_t room, const char *text, int is_path)
{
    const recon_format *f = NULL;
    struct stat info;
    if (is_path || (text[strcspn(text, ":/")] != ':' && !recon_data_is(text)))
        f = stat(text, &info) == 0 && S_ISDIR(info.st_mode) ? format_of_folder(text)
                                                            : recon_format_of_file(text);
    snprintf(out, room, "%s%s", f ? f->name : "", text);
    return out;
}

recon_status recon_data_open(recon_ctx *ctx, recon_data **out, const char *spec,
                             const recon_data_options *options)
{
    const recon_data_options defaults = { 0 };
    *out = NULL;
    RECON_CHECK(RECON_OPTIONS_CHECK(ctx, options, recon_data_options));
    return recon_data_kind_of(spec)->open(ctx, out, spec, options ? options : &defaults);
}

void recon_data_close(recon_data *data)
{
    if (data)
        data->kind->close(data);
}

recon_data_info recon_data_describe(const recon_data *data)
{
    return data->kind->describe(data);
}
