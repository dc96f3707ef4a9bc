/* found.c - a folder of results, read and checked; and the page that is made of it. */
#include "report/found.h"
#include "report/inputs.h"
#include "backbone/kinds.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/json.h"
#include "group/group.h"
#include "core/memory.h"
#include "data/identity.h"
#include "data/formats.h"
#include "model/discovered.h"

#include <math.h>
#include <recon/core/array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST 1e15 /* number that a summary may have: nothing that is counted there has more */

/* --- summary.json ----------------------------------------------------------------------------- */

/* The value at a path of keys with points between them. */
static const json_t *find(const json_t *at, const char *path)
{
    while (at && *path) {
        size_t n = strcspn(path, ".");
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        at = json_object_get(at, key);
        path += n + (path[n] == '.');
    }
    return at;
}

double recon_found_maybe(const recon_found_folder *f, const char *path)
{
    double value = json_number_value(find(f->summary, path));
    int is_one = json_is_number(find(f->summary, path)) && fabs(value) < LARGEST;
    return is_one ? value : NAN;
}

/* A discovery has them under "all". */
double recon_found_overall(const recon_found_folder *f, const char *key)
{
    char path[128];
    snprintf(path, sizeof path, "%s%s", find(f->summary, "all") ? "all." : "", key);
    return recon_found_maybe(f, path);
}

double recon_found_natural(const recon_found_folder *f, recon_natural kind)
{
    char path[64];
    snprintf(path, sizeof path, "natural_pose.%s", recon_natural_name(kind));
    return recon_found_overall(f, path);
}

recon_status recon_found_number(recon_ctx *ctx, double *out, const recon_found_folder *f,
                                const char *path)
{
    *out = recon_found_maybe(f, path);
    return isfinite(*out)
               ? RECON_OK
               : recon_fail(ctx, RECON_ERR_FORMAT, "%s/summary.json: no number %s", f->dir, path);
}

const char *recon_found_text(const recon_found_folder *f, const char *key)
{
    const json_t *value = find(f->summary, key);
    return json_is_string(value) ? json_string_value(value) : "";
}

const char *recon_found_many(const recon_found_folder *f)
{
    const recon_input_drawing *d = recon_input_drawing_of(f->kind, f->group);
    return d ? d->kind->many : f->kind;
}

static int is_known(const recon_ctx *ctx, const char *kind)
{
    return !strcmp(kind, "poses") || !strcmp(kind, recon_images_kind.name) ||
           !strcmp(kind, recon_molecules_kind.name) || recon_backbone_kind_for(ctx, kind);
}

/* What the summary says that the folder is. */
static recon_status read_kind(recon_ctx *ctx, recon_found_folder *f)
{
    const char *kind = recon_found_text(f, "kind"), *group = recon_found_text(f, "group");
    if (!*kind)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s/summary.json: no \"kind\": not written by `recon discover` or "
                          "`recon normalize` of this version",
                          f->dir);
    f->kind = kind;
    if (!is_known(ctx, kind))
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s/summary.json: unknown kind '%.40s': images, molecules, poses, or one "
                          "that this program has a backbone for",
                          f->dir, kind);
    if (recon_group_find(ctx, &f->group, group) != RECON_OK)
        return recon_note(ctx, RECON_ERR_FORMAT, "in %s/summary.json", f->dir);
    f->drawing = recon_found_drawing_of(f->group);
    return RECON_OK;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* One file's numbers; rows are checked against those of the first. */
static recon_status read_array(recon_ctx *ctx, recon_found_folder *f, const char *name,
                               recon_array *out, size_t *width)
{
    char path[RECON_PATH];
    RECON_CHECK(recon_npy_read(ctx, out, recon_folder_join(path, f->dir, name)));
    if (out->ndim < 1 || out->shape[0] == 0)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: no rows", path);
    if (f->rows == 0)
        f->rows = out->shape[0];
    if (out->shape[0] != f->rows)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu rows, but gamma.npy has %zu", path,
                          out->shape[0], f->rows);
    *width = recon_array_count(out) / f->rows;
    return RECON_OK;
}

static recon_status read_real(recon_ctx *ctx, recon_found_folder *f, const char *name, double **out,
                              size_t width)
{
    recon_array array = { 0 };
    size_t found;
    recon_status status;
    RECON_TRY(read_array(ctx, f, name, &array, &found));
    if (found != width)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s/%s: %zu numbers a row, not %zu", f->dir,
                             name, found, width));
    RECON_TRY(recon_alloc_raw(ctx, out, f->rows * width, sizeof **out));
    RECON_TRY(recon_array_to_f64(ctx, *out, &array));
done:
    recon_array_free(&array);
    return status;
}

static recon_status read_integers(recon_ctx *ctx, recon_found_folder *f, const char *name,
                                  int64_t **out, size_t *width)
{
    recon_array array = { 0 };
    recon_status status;
    RECON_TRY(read_array(ctx, f, name, &array, width));
    RECON_TRY(recon_alloc_raw(ctx, out, f->rows * *width, sizeof **out));
    RECON_TRY(recon_array_to_i64(ctx, *out, &array));
done:
    recon_array_free(&array);
    return status;
}

static recon_status check_neighbors(recon_ctx *ctx, const recon_found_folder *f)
{
    for (size_t i = 0; i < f->rows * f->k; i++)
        if (f->neighbors[i] < 0 || (size_t)f->neighbors[i] >= f->points)
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s/neighbors.npy: row %zu: %lld is none of %zu points", f->dir,
                              i / f->k, (long long)f->neighbors[i], f->points);
    return RECON_OK;
}

/* Neighbours or components; which there are, the summary says. */
static recon_status read_classes(recon_ctx *ctx, recon_found_folder *f)
{
    size_t width;
    if (!strcmp(recon_found_text(f, "classes"), "components")) {
        RECON_CHECK(read_integers(ctx, f, "classes.npy", &f->classes, &width));
        return width == 1 ? RECON_OK
                          : recon_fail(ctx, RECON_ERR_FORMAT, "%s/classes.npy: %zu numbers a row",
                                       f->dir, width);
    }
    RECON_CHECK(read_integers(ctx, f, "neighbors.npy", &f->neighbors, &f->k));
    return check_neighbors(ctx, f);
}

/* Algorithm 1 alone, without a model. */
static int is_of_poses(const recon_found_folder *f)
{
    return !strcmp(f->kind, "poses");
}

/* Poses as they are written. */
typedef struct {
    double *gamma, *absolute;
} raw_poses;

static void raw_free(raw_poses *raw)
{
    free(raw->gamma);
    free(raw->absolute);
}

/* A file of numbers, where they go, and how many a row has. */
typedef struct {
    const char *name;
    double **to;
    size_t width;
} field;

enum { FIELDS = 6 };

static void list_fields(field out[FIELDS], recon_found_folder *f, raw_poses *raw)
{
    size_t pose = recon_group_written(f->group), parameters = f->drawing->parameters;
    const field all[FIELDS] = {
        { "gamma.npy", &raw->gamma, pose },
        { "absolute.npy", &raw->absolute, pose },
        { parameters ? "parameters.npy" : "theta.npy", &f->theta, parameters ? parameters : 1 },
        { "identifiability.npy", &f->identifiability, f->group->identifiability },
        { "background.npy", &f->background, 1 },
        { "score.npy", &f->score, 1 },
    };
    memcpy(out, all, sizeof all);
}

/* Drops rows of class -1, in place. */
static void drop_outside(recon_found_folder *f, const field *fields)
{
    size_t rows = f->rows, kept = 0;
    for (size_t i = 0; f->classes && i < rows; i++) {
        if (f->classes[i] < 0)
            continue;
        for (size_t j = 0; j < FIELDS; j++) {
            double *x = *fields[j].to;
            memmove(x + fields[j].width * kept, x + fields[j].width * i,
                    fields[j].width * sizeof *x);
        }
        f->classes[kept++] = f->classes[i];
    }
    f->rows = f->classes ? kept : rows;
}

static recon_status check_finite(recon_ctx *ctx, const recon_found_folder *f, const field *of)
{
    const double *x = *of->to;
    for (size_t i = 0; i < f->rows * of->width; i++)
        if (!isfinite(x[i]) || fabs(x[i]) > RECON_FIGURE_LARGEST)
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s/%s: row %zu is not finite", f->dir,
                              of->name, i / of->width);
    return RECON_OK;
}

/* Rows of a file, as they are written, as poses. */
static recon_status poses_of(recon_ctx *ctx, const recon_found_folder *f, double **out,
                             const double *rows, const char *name)
{
    const size_t *shape = f->group->shape;
    const recon_array array = { .dtype = RECON_F64,
                                .ndim = 1 + (shape[0] > 0) + (shape[1] > 0),
                                .shape = { f->rows, shape[0], shape[1] },
                                .data = rows };
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, out, f->rows, f->group->numbers * sizeof **out));
    status = recon_group_read(ctx, f->group, *out, &array, f->rows, RECON_QUATERNIONS_NONE,
                              recon_folder_join(path, f->dir, name));
done:
    return status == RECON_ERR_INPUT ? RECON_ERR_FORMAT : status;
}

/* psi = absolute Gamma */
static recon_status find_poses(recon_ctx *ctx, recon_found_folder *f, const raw_poses *raw)
{
    const recon_group *group = f->group;
    double *gamma = NULL;
    recon_status status;
    RECON_TRY(poses_of(ctx, f, &gamma, raw->gamma, "gamma.npy"));
    RECON_TRY(poses_of(ctx, f, &f->absolute, raw->absolute, "absolute.npy"));
    RECON_TRY(recon_alloc_raw(ctx, &f->psi, f->rows, group->numbers * sizeof *f->psi));
    for (size_t i = 0; i < f->rows * group->numbers; i += group->numbers)
        group->compose(group, f->psi + i, f->absolute + i, gamma + i);
done:
    free(gamma);
    return status;
}

static recon_status read_arrays(recon_ctx *ctx, recon_found_folder *f)
{
    raw_poses raw = { 0 };
    field fields[FIELDS];
    double points;
    recon_status status;
    list_fields(fields, f, &raw);
    RECON_TRY(recon_found_number(ctx, &points, f, "points"));
    f->points = points >= 0 ? (size_t)points : 0;
    for (size_t i = 0; i < FIELDS; i++)
        RECON_TRY(read_real(ctx, f, fields[i].name, fields[i].to, fields[i].width));
    RECON_TRY(read_classes(ctx, f));
    drop_outside(f, fields);
    if (f->rows == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: no row lies in a class", f->dir));
    for (size_t i = 0; i < FIELDS; i++)
        RECON_TRY(check_finite(ctx, f, &fields[i]));
    RECON_TRY(find_poses(ctx, f, &raw));
done:
    raw_free(&raw);
    return status;
}

/* Of a discovery: its tables say all that the page does. */
static recon_status read_lines(recon_ctx *ctx, recon_found_folder *f, const char *path)
{
    size_t numbers = f->group->numbers;
    double points;
    RECON_CHECK(recon_found_number(ctx, &points, f, "points"));
    RECON_CHECK(recon_lines_read(ctx, &f->lines, path, f->group));
    if ((double)f->lines.n != points)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu lines, but summary.json says %.0f inputs",
                          path, f->lines.n, points);
    f->rows = f->points = f->lines.n;
    RECON_CHECK(recon_alloc_raw(ctx, &f->absolute, f->rows, numbers * sizeof *f->absolute));
    RECON_CHECK(recon_alloc_raw(ctx, &f->classes, f->rows, sizeof *f->classes));
    for (size_t i = 0; i < f->rows; i++) {
        memcpy(f->absolute + i * numbers, f->lines.line[i].pose, numbers * sizeof *f->absolute);
        f->classes[i] = f->lines.line[i].cluster;
    }
    return RECON_OK;
}

static recon_status read_rows(recon_ctx *ctx, recon_found_folder *f)
{
    char path[RECON_PATH];
    return is_of_poses(f) ? read_arrays(ctx, f)
                          : read_lines(ctx, f, recon_folder_join(path, f->dir, "poses.csv"));
}

static recon_status read_summary(recon_ctx *ctx, recon_found_folder *f)
{
    char path[RECON_PATH];
    recon_status status =
        recon_json_read(ctx, &f->summary, recon_folder_join(path, f->dir, "summary.json"));
    return status == RECON_OK
               ? read_kind(ctx, f)
               : recon_note(ctx, status,
                            "a folder of `recon discover` or `recon normalize` has it");
}

recon_status recon_found_open(recon_ctx *ctx, recon_found_folder *out, const char *dir)
{
    *out = (recon_found_folder){ .dir = dir, .called = dir };
    if (strlen(dir) > RECON_PATH - 64) /* room for what is joined to it */
        return recon_fail(ctx, RECON_ERR_INPUT, "%.64s...: the path is too long", dir);
    RECON_CHECK(read_summary(ctx, out));
    return read_rows(ctx, out);
}

void recon_found_close(recon_found_folder *f)
{
    json_decref(f->summary);
    recon_lines_free(&f->lines);
    free(f->psi);
    free(f->absolute);
    free(f->theta);
    free(f->identifiability);
    free(f->background);
    free(f->score);
    free(f->neighbors);
    free(f->classes);
    *f = (recon_found_folder){ 0 };
}

/* --- the page --------------------------------------------------------------------------------- */

/* A folder of an earlier version has no identity. */
static recon_status check_identity(recon_ctx *ctx, const recon_found_folder *f,
                                   const recon_data *data)
{
    const char *was = recon_found_text(f, "identity");
    char now[17];
    uint64_t identity;
    recon_status status = *was ? recon_identity(ctx, &identity, data, 0) : RECON_OK;
    if (!*was || status != RECON_OK)
        return status;
    snprintf(now, sizeof now, RECON_IDENTITY, identity);
    return strcmp(was, now)
               ? recon_fail(ctx, RECON_ERR_MISMATCH,
                            "%s was made from other %s: their identity was %.16s, that of these "
                            "%zu is %s",
                            f->dir, data->kind->many, was, recon_data_describe(data).n, now)
               : RECON_OK;
}

/* Data of another kind than the folder's would be taken for none. */
static recon_status check_data(recon_ctx *ctx, const recon_found_folder *f, const recon_data *data)
{
    const char *kind = recon_found_text(f, "kind");
    return strcmp(kind, data->kind->name)
               ? recon_fail(ctx, RECON_ERR_INPUT, "%s: a folder of %s, but the data are %s", f->dir,
                            kind, data->kind->name)
               : check_identity(ctx, f, data);
}

recon_status recon_found_sections(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                  const recon_data *data)
{
    return is_of_poses(f) ? recon_found_normalized(ctx, page, f)
                          : recon_found_discovery(ctx, page, f, data);
}

recon_status recon_found_page(recon_ctx *ctx, recon_page **out, const recon_found_folder *f,
                              const recon_found_data *data)
{
    recon_page *page = NULL;
    char title[128];
    recon_status status = data->data ? check_data(ctx, f, data->data) : RECON_OK;
    if (status != RECON_OK)
        goto done;
    snprintf(title, sizeof title, "The poses %s %s", is_of_poses(f) ? "behind these" : "of these",
             is_of_poses(f) ? "embeddings" : f->kind);
    RECON_TRY(recon_page_new(ctx, &page, title, NULL));
    recon_found_head(page, f);
    RECON_TRY(recon_found_sections(ctx, page, f, data->data));
    if (data->missing && !is_of_poses(f)) {
        recon_page_section(page, "Data that could not be opened");
        recon_page_warning(page, "Pictures are missing: %s", data->missing);
    }
done:
    if (status != RECON_OK)
        recon_page_free(page);
    *out = status == RECON_OK ? page : NULL;
    return status;
}

recon_status recon_found_save(recon_ctx *ctx, const char *path, const char *dir,
                              const recon_found_data *data)
{
    recon_found_folder f = { 0 };
    recon_folder_view view;
    recon_page *page = NULL;
    recon_status status;
    RECON_TRY(recon_folder_look(ctx, &view, dir));
    RECON_TRY(recon_found_open(ctx, &f, dir));
    f.called = data->folder ? data->folder : dir;
    if (data->table) {
        recon_lines_free(&f.lines);
        recon_free_all(f.absolute, f.classes);
        f.absolute = NULL, f.classes = NULL;
        RECON_TRY(read_lines(ctx, &f, data->table));
    }
    RECON_TRY(recon_found_page(ctx, &page, &f, data));
    status = recon_folder_check(ctx, &view, dir); /* or it may be of two results */
    if (status != RECON_OK)
        recon_page_free(page);
    else
        status = recon_page_save(page, path);
done:
    recon_found_close(&f);
    return status;
}

recon_status recon_found_report(recon_ctx *ctx, void *arg, const recon_discovered *d,
                                const char *dir)
{
    const recon_found_data *data = arg;
    char path[RECON_PATH];
    recon_found_folder f = { .dir = dir, .summary = json_incref(d->summary) };
    recon_page *page;
    recon_status status;
    RECON_TRY(read_kind(ctx, &f));
    RECON_TRY(read_rows(ctx, &f));
    f.called = data->folder ? data->folder : dir;
    RECON_TRY(recon_found_page(ctx, &page, &f, data));
    RECON_TRY(recon_page_save_over(page, recon_folder_join(path, dir, "report.html")));
done:
    recon_found_close(&f);
    return status;
}
