/* found.c - a folder of results, read and checked; and the page that is made of it. */
#include "report/found.h"
#include "backbone/kinds.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/json.h"
#include "core/memory.h"
#include "data/identity.h"
#include "data/kinds.h"
#include "report/page_parts.h"

#include <math.h>
#include <recon/core/array.h>
#include <recon/group/so2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int find_kind(const recon_ctx *ctx, recon_found *out, const char *name)
{
    *out = !strcmp(name, "images")      ? RECON_FOUND_IMAGES
           : !strcmp(name, "molecules") ? RECON_FOUND_MOLECULES
                                        : RECON_FOUND_POSES;
    return *out != RECON_FOUND_POSES || !strcmp(name, "poses") ||
           recon_backbone_kind_for(ctx, name);
}

static recon_status read_summary(recon_ctx *ctx, recon_found_folder *f)
{
    char path[RECON_PATH];
    recon_status status =
        recon_json_read(ctx, &f->summary, recon_folder_join(path, f->dir, "summary.json"));
    if (status != RECON_OK)
        return recon_note(ctx, status, "a folder of `recon discover` or `recon normalize` has it");
    const char *kind = recon_found_text(f, "kind");
    if (!*kind)
        return recon_fail(
            ctx, RECON_ERR_FORMAT,
            "%s: no \"kind\": not written by `recon discover` or `recon normalize` of "
            "this version",
            path);
    if (!find_kind(ctx, &f->kind, kind))
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: unknown kind '%.40s': images, molecules, poses, or one that this "
                          "program has a backbone for",
                          path, kind);
    const char *group = recon_found_text(f, "group");
    if (strcmp(group, "so2") != 0 && strcmp(group, "so3") != 0)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: unknown group '%.40s': so2 or so3", path,
                          group);
    f->group = strcmp(group, "so3") ? RECON_SO2 : RECON_SO3;
    if ((f->kind == RECON_FOUND_IMAGES && f->group == RECON_SO3) ||
        (f->kind == RECON_FOUND_MOLECULES && f->group == RECON_SO2))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: group does not fit the rest", path);
    return RECON_OK;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* One file's numbers; rows are checked against those of the first. */
static recon_status read_array(recon_ctx *ctx, recon_found_folder *f, const char *name,
                               recon_array *out, size_t *width)
{
    char path[RECON_PATH];
    recon_status status = recon_npy_read(ctx, out, recon_folder_join(path, f->dir, name));
    if (status != RECON_OK)
        return status;
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

/* want: how many numbers a row has; 0: any, and *width says. */
static recon_status read_real(recon_ctx *ctx, recon_found_folder *f, const char *name, double **out,
                              size_t want, size_t *width)
{
    recon_array array = { 0 };
    size_t found;
    recon_status status;
    RECON_TRY(read_array(ctx, f, name, &array, &found));
    if (want ? found != want : found == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s/%s: %zu numbers a row, not %zu", f->dir,
                             name, found, want));
    if (width)
        *width = found;
    RECON_TRY(recon_alloc_raw(ctx, out, f->rows * found, sizeof **out));
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
    recon_status status;
    if (!strcmp(recon_found_text(f, "classes"), "components")) {
        RECON_TRY(read_integers(ctx, f, "classes.npy", &f->classes, &width));
        return width == 1 ? RECON_OK
                          : recon_fail(ctx, RECON_ERR_FORMAT, "%s/classes.npy: %zu numbers a row",
                                       f->dir, width);
    }
    RECON_TRY(read_integers(ctx, f, "neighbors.npy", &f->neighbors, &f->k));
    RECON_TRY(check_neighbors(ctx, f));
done:
    return status;
}

/* Drops rows of class -1, in place: numbers of `width` a row. */
static void keep_rows(double *x, size_t width, const int64_t *classes, size_t rows)
{
    size_t kept = 0;
    for (size_t i = 0; x && i < rows; i++)
        if (classes[i] >= 0)
            memmove(x + width * kept++, x + width * i, width * sizeof *x);
}

/* Algorithm 1 alone, without a model. */
static int is_of_poses(const recon_found_folder *f)
{
    return !strcmp(recon_found_text(f, "kind"), "poses");
}

/* Where the numbers of theta are: a width, or F. */
static const char *theta_file(const recon_found_folder *f)
{
    return f->group == RECON_SO3 ? "parameters.npy" : "theta.npy";
}

typedef struct {
    double *gamma, *absolute, *natural;
} raw_poses;

static void drop_outside(recon_found_folder *f, raw_poses *raw, size_t pose)
{
    size_t rows = f->rows, kept = 0;
    if (!f->classes)
        return;
    keep_rows(raw->gamma, pose, f->classes, rows);
    keep_rows(raw->absolute, pose, f->classes, rows);
    keep_rows(f->theta, f->theta_width, f->classes, rows);
    keep_rows(f->identifiability, f->identifiability_width, f->classes, rows);
    keep_rows(f->background, 1, f->classes, rows);
    keep_rows(f->score, 1, f->classes, rows);
    for (size_t i = 0; i < rows; i++)
        if (f->classes[i] >= 0)
            f->classes[kept++] = f->classes[i];
    f->rows = kept;
}

static recon_status check_finite(recon_ctx *ctx, const recon_found_folder *f, const char *name,
                                 const double *x, size_t width)
{
    for (size_t i = 0; x && i < f->rows * width; i++)
        if (!isfinite(x[i]) || fabs(x[i]) > RECON_FIGURE_LARGEST)
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s/%s: row %zu is not finite", f->dir, name,
                              i / width);
    return RECON_OK;
}

static recon_status check_all(recon_ctx *ctx, const recon_found_folder *f, const raw_poses *raw,
                              size_t pose)
{
    recon_status status;
    if (f->rows == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: no row lies in a class", f->dir);
    RECON_TRY(check_finite(ctx, f, "gamma.npy", raw->gamma, pose));
    RECON_TRY(check_finite(ctx, f, "absolute.npy", raw->absolute, pose));
    RECON_TRY(check_finite(ctx, f, "natural.npy", raw->natural, pose));
    RECON_TRY(check_finite(ctx, f, theta_file(f), f->theta, f->theta_width));
    RECON_TRY(
        check_finite(ctx, f, "identifiability.npy", f->identifiability, f->identifiability_width));
    RECON_TRY(check_finite(ctx, f, "background.npy", f->background, 1));
    RECON_TRY(check_finite(ctx, f, "score.npy", f->score, 1));
done:
    return status;
}

static recon_status check_rotations(recon_ctx *ctx, const recon_found_folder *f, const char *name,
                                    const double *m)
{
    for (size_t i = 0; m && i < f->rows; i++)
        if (recon_so3_matrix_error(m + 9 * i) > RECON_POSE_TOLERANCE)
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s/%s: row %zu is not a rotation", f->dir,
                              name, i);
    return RECON_OK;
}

/* psi = absolute Gamma; about the natural pose of the model, psi Lambda^-1, where that is known. */
static recon_status rotate_so2(recon_ctx *ctx, recon_found_folder *f, const raw_poses *raw)
{
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &f->psi.so2, f->rows, sizeof *f->psi.so2));
    RECON_TRY(recon_alloc_raw(ctx, &f->absolute.so2, f->rows, sizeof *f->absolute.so2));
    for (size_t i = 0; i < f->rows; i++) {
        f->psi.so2[i] = recon_so2_wrap(raw->absolute[i] + raw->gamma[i]);
        f->absolute.so2[i] =
            recon_so2_wrap(raw->natural ? f->psi.so2[i] - raw->natural[i] : raw->absolute[i]);
    }
done:
    return status;
}

static recon_status rotate_so3(recon_ctx *ctx, recon_found_folder *f, const raw_poses *raw)
{
    recon_status status;
    RECON_TRY(check_rotations(ctx, f, "gamma.npy", raw->gamma));
    RECON_TRY(check_rotations(ctx, f, "absolute.npy", raw->absolute));
    RECON_TRY(check_rotations(ctx, f, "natural.npy", raw->natural));
    RECON_TRY(recon_alloc_raw(ctx, &f->psi.so3, f->rows, sizeof *f->psi.so3));
    RECON_TRY(recon_alloc_raw(ctx, &f->absolute.so3, f->rows, sizeof *f->absolute.so3));
    for (size_t i = 0; i < f->rows; i++) {
        recon_so3 own = recon_so3_from_matrix(raw->absolute + 9 * i);
        f->psi.so3[i] = recon_so3_compose(own, recon_so3_from_matrix(raw->gamma + 9 * i));
        f->absolute.so3[i] =
            raw->natural
                ? recon_so3_compose(f->psi.so3[i],
                                    recon_so3_inverse(recon_so3_from_matrix(raw->natural + 9 * i)))
                : own;
    }
done:
    return status;
}

/* One that lies beside a result of `recon normalize` is not part of it. */
static recon_status read_natural(recon_ctx *ctx, recon_found_folder *f, double **out, size_t pose)
{
    if (is_of_poses(f))
        return RECON_OK;
    return read_real(ctx, f, "natural.npy", out, pose, NULL);
}

static recon_status read_arrays(recon_ctx *ctx, recon_found_folder *f)
{
    int so3 = f->group == RECON_SO3;
    size_t pose = so3 ? 9 : 1;
    raw_poses raw = { 0 };
    double points;
    recon_status status;
    RECON_TRY(recon_found_number(ctx, &points, f, "points"));
    f->points = points >= 0 ? (size_t)points : 0;
    RECON_TRY(read_real(ctx, f, "gamma.npy", &raw.gamma, pose, NULL));
    RECON_TRY(read_real(ctx, f, "absolute.npy", &raw.absolute, pose, NULL));
    RECON_TRY(read_natural(ctx, f, &raw.natural, pose));
    RECON_TRY(read_real(ctx, f, theta_file(f), &f->theta, so3 ? 9 : 1, &f->theta_width));
    RECON_TRY(read_real(ctx, f, "identifiability.npy", &f->identifiability, so3 ? 3 : 4,
                        &f->identifiability_width));
    RECON_TRY(read_real(ctx, f, "background.npy", &f->background, 1, NULL));
    RECON_TRY(read_real(ctx, f, "score.npy", &f->score, 1, NULL));
    if (!is_of_poses(f) && f->rows != f->points)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu rows, but summary.json says %zu",
                             f->dir, f->rows, f->points));
    RECON_TRY(read_classes(ctx, f));
    drop_outside(f, &raw, pose);
    RECON_TRY(check_all(ctx, f, &raw, pose));
    RECON_TRY(so3 ? rotate_so3(ctx, f, &raw) : rotate_so2(ctx, f, &raw));
done:
    free(raw.gamma);
    free(raw.absolute);
    free(raw.natural);
    return status;
}

recon_status recon_found_open(recon_ctx *ctx, recon_found_folder *out, const char *dir)
{
    recon_status status;
    *out = (recon_found_folder){ .dir = dir };
    if (strlen(dir) > RECON_PATH - 64) /* room for what is joined to it */
        return recon_fail(ctx, RECON_ERR_INPUT, "%.64s...: the path is too long", dir);
    RECON_TRY(read_summary(ctx, out));
    RECON_TRY(read_arrays(ctx, out));
done:
    return status;
}

recon_status recon_found_open_as(recon_ctx *ctx, recon_found_folder *out, const char *dir,
                                 recon_found kind)
{
    static const char *const names[] = { "recon discover on images", "recon discover on molecules",
                                         "recon normalize" };
    recon_status status = recon_found_open(ctx, out, dir);
    if (status == RECON_OK && out->kind != kind)
        status = recon_fail(ctx, RECON_ERR_INPUT, "%s: a folder of `%s`, not of `%s`", dir,
                            names[out->kind], names[kind]);
    return status;
}

void recon_found_close(recon_found_folder *f)
{
    json_decref(f->summary);
    free(f->psi.so2);
    free(f->psi.so3);
    free(f->absolute.so2);
    free(f->absolute.so3);
    free(f->theta);
    free(f->identifiability);
    free(f->background);
    free(f->score);
    free(f->neighbors);
    free(f->classes);
    *f = (recon_found_folder){ 0 };
}

/* --- the page --------------------------------------------------------------------------------- */

recon_status recon_found_kind(recon_ctx *ctx, recon_found *out, const char *dir)
{
    recon_found_folder f = { .dir = dir };
    recon_status status = read_summary(ctx, &f);
    *out = f.kind;
    json_decref(f.summary);
    return status;
}

recon_status recon_found_results(recon_ctx *ctx, recon_page *page, const char *dir)
{
    static recon_status (*const of[])(recon_ctx *, recon_page *, const recon_found_folder *) = {
        recon_found_image_results, recon_found_molecule_results, recon_found_pose_results
    };
    recon_found_folder f = { .dir = dir };
    recon_status status;
    RECON_TRY(read_summary(ctx, &f));
    RECON_TRY(of[f.kind](ctx, page, &f));
done:
    json_decref(f.summary);
    return status;
}

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
static recon_status check_data(recon_ctx *ctx, const char *dir, const recon_data *data)
{
    recon_found_folder f = { .dir = dir };
    recon_status status = data ? read_summary(ctx, &f) : RECON_OK;
    const char *kind = data && status == RECON_OK ? recon_found_text(&f, "kind") : "";
    if (*kind && strcmp(kind, data->kind->name))
        status = recon_fail(ctx, RECON_ERR_INPUT, "%s: a folder of %s, but the data are %s", dir,
                            kind, data->kind->name);
    else if (*kind)
        status = check_identity(ctx, &f, data);
    json_decref(f.summary);
    return status;
}

static recon_status add_sections(recon_ctx *ctx, recon_page *page, const char *dir,
                                 recon_found kind, const recon_found_data *data)
{
    recon_status status;
    RECON_TRY(check_data(ctx, dir, data->data));
    RECON_TRY(recon_found_results(ctx, page, dir));
    if (kind == RECON_FOUND_IMAGES)
        RECON_TRY(
            recon_found_images(ctx, page, dir, data->data ? recon_data_images(data->data) : NULL));
    else if (kind == RECON_FOUND_MOLECULES)
        RECON_TRY(recon_found_molecules(ctx, page, dir,
                                        data->data ? recon_data_molecules(data->data) : NULL));
    else
        RECON_TRY(recon_found_poses(ctx, page, dir));
    if (data->missing && kind != RECON_FOUND_POSES) {
        recon_page_section(page, "Data that could not be opened");
        recon_page_warning(page, "Pictures are missing: %s", data->missing);
    }
done:
    return status;
}

recon_status recon_found_page(recon_ctx *ctx, recon_page **out, const char *dir,
                              const recon_found_data *data)
{
    static const char *const titles[] = { "The poses of these images",
                                          "The poses of these molecules",
                                          "The poses behind these embeddings" };
    recon_folder_view view;
    recon_found kind;
    recon_page *page = NULL;
    recon_status status;
    RECON_TRY(recon_folder_look(ctx, &view, dir));
    RECON_TRY(recon_found_kind(ctx, &kind, dir));
    RECON_TRY(
        recon_page_new(ctx, &page, titles[kind],
                       "The natural poses of the objects in a data set, found without labels."));
    page->folder = data->folder;
    RECON_TRY(add_sections(ctx, page, dir, kind, data));
    RECON_TRY(recon_folder_check(ctx, &view, dir)); /* or it may be of two results */
done:
    if (status != RECON_OK)
        recon_page_free(page);
    *out = status == RECON_OK ? page : NULL;
    return status;
}

recon_status recon_found_save(recon_ctx *ctx, const char *path, const char *dir,
                              const recon_found_data *data)
{
    recon_page *page;
    recon_status status = recon_found_page(ctx, &page, dir, data);
    return status == RECON_OK ? recon_page_save(page, path) : status;
}

recon_status recon_found_report(recon_ctx *ctx, void *data, const char *dir)
{
    char path[RECON_PATH];
    recon_page *page;
    recon_status status = recon_found_page(ctx, &page, dir, data);
    return status == RECON_OK
               ? recon_page_save_over(page, recon_folder_join(path, dir, "report.html"))
               : status;
}
