/* frames_write.c - frames as files: all of them or none. */
#include "normalize/frames_write.h"
#include <recon/core/array.h>
#include "comm/comm.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/npy.h"
#include "group/group.h"

#include <stdio.h>
#include <string.h>

enum { FILES = 20, PIECE = RECON_BLOCK_FRAMES };

/* One file to be: rows of `width` numbers, from doubles, poses or integers. */
typedef struct {
    const char *name;
    const double *real;
    const double *poses; /* of `group`, as it holds them */
    const recon_group *group;
    const int64_t *integer;
    const int8_t *small; /* integers of a byte */
    size_t width;        /* numbers a row */
    int ndim;
    size_t shape[4];
    recon_dtype type;
} file;

/* A width of 1 has no dimension of its own, save for `inner`, the k poses of a row. */
static file poses_file(const char *name, const recon_frames *f, const double *poses,
                       recon_dtype type, size_t inner)
{
    file out = { .name = name, .poses = poses, .group = f->group, .type = type };
    out.shape[out.ndim++] = f->rows;
    if (inner)
        out.shape[out.ndim++] = inner;
    for (int i = 0; i < 2 && f->group->shape[i]; i++)
        out.shape[out.ndim++] = f->group->shape[i];
    out.width = (inner ? inner : 1) * recon_group_written(f->group);
    return out;
}

static file parameters_file(const recon_frames *f)
{
    file out = { .name = "parameters.npy", .real = f->parameters, .type = RECON_F64, .ndim = 1 };
    out.shape[0] = f->rows;
    out.width = f->parameters_width;
    const recon_family *family = &f->group->families[f->family];
    for (int i = 0; i < 2 && family->shape[i]; i++)
        out.shape[out.ndim++] = family->shape[i];
    return out;
}

/* One number a row. */
static file real_file(const char *name, const recon_frames *f, const double *values)
{
    return (file){
        .name = name, .real = values, .width = 1, .ndim = 1, .shape = { f->rows }, .type = RECON_F64
    };
}

static file small_file(const char *name, const recon_frames *f, const int8_t *values)
{
    return (file){
        .name = name, .small = values, .width = 1, .ndim = 1, .shape = { f->rows }, .type = RECON_I8
    };
}

static size_t list_files(file out[FILES], const recon_frames *f, recon_dtype poses)
{
    size_t n = 0;
    out[n++] = poses_file("gamma.npy", f, f->gamma, poses, 0);
    out[n++] = poses_file("absolute.npy", f, f->absolute, poses, 0);
    out[n++] = real_file("theta.npy", f, f->theta);
    out[n++] = parameters_file(f);
    out[n++] = real_file("background.npy", f, f->background);
    out[n++] = real_file("score.npy", f, f->score);
    out[n++] = real_file("p.npy", f, f->p);
    if (f->p_embedding)
        out[n++] = real_file("p_embedding.npy", f, f->p_embedding);
    out[n++] = small_file("verdict.npy", f, f->verdict);
    out[n++] = small_file("fold.npy", f, f->fold);
    out[n++] = small_file("symmetry.npy", f, f->symmetry);
    out[n++] = (file){ .name = "identifiability.npy",
                       .real = f->identifiability,
                       .width = f->identifiability_width,
                       .ndim = 2,
                       .shape = { f->rows, f->identifiability_width },
                       .type = RECON_F64 };
    out[n++] = (file){ .name = "modes.npy",
                       .real = f->modes,
                       .width = RECON_FRAME_MODES * f->modes_width,
                       .ndim = 3,
                       .shape = { f->rows, RECON_FRAME_MODES, f->modes_width },
                       .type = RECON_F64 };
    if (f->axis)
        out[n++] = (file){ .name = "axis.npy",
                           .real = f->axis,
                           .width = 6,
                           .ndim = 3,
                           .shape = { f->rows, 2, 3 },
                           .type = RECON_F64 };
    if (f->free)
        out[n++] = (file){ .name = "free.npy",
                           .real = f->free,
                           .width = RECON_FREE_MAX * f->group->dimension,
                           .ndim = 3,
                           .shape = { f->rows, RECON_FREE_MAX, f->group->dimension },
                           .type = RECON_F64 };
    if (f->class_of)
        out[n++] = (file){ .name = "classes.npy",
                           .integer = f->class_of,
                           .width = 1,
                           .ndim = 1,
                           .shape = { f->rows },
                           .type = RECON_I64 };
    if (f->neighbors) {
        out[n++] = (file){ .name = "neighbors.npy",
                           .integer = f->neighbors,
                           .width = f->k,
                           .ndim = 2,
                           .shape = { f->rows, f->k },
                           .type = RECON_I64 };
        out[n++] = (file){ .name = "similarity.npy",
                           .real = f->similarity,
                           .width = f->k,
                           .ndim = 2,
                           .shape = { f->rows, f->k },
                           .type = RECON_F64 };
        out[n++] = (file){ .name = "members.npy",
                           .integer = f->members,
                           .width = 1,
                           .ndim = 1,
                           .shape = { f->rows },
                           .type = RECON_I64 };
        out[n++] = poses_file("normalized.npy", f, f->normalized, poses, f->k);
    }
    return n;
}

/* Numbers from .. from + n of the file, as it stores them. */
static const void *convert(const file *o, size_t from, size_t n, double *real, float *single)
{
    if (o->integer)
        return o->integer + from;
    if (o->small)
        return o->small + from;
    const double *values = o->real ? o->real + from : real;
    if (o->poses) {
        size_t written = recon_group_written(o->group);
        recon_group_write(o->group, real, o->poses + from / written * o->group->numbers,
                          n / written);
    }
    if (o->type == RECON_F64)
        return values;
    for (size_t i = 0; i < n; i++)
        single[i] = (float)values[i];
    return single;
}

/* Takes n rows of a file, from row `at` on, as it stores them. */
typedef recon_status take_rows(recon_ctx *ctx, void *to, const void *bytes, size_t at, size_t n);

static recon_status each_piece(recon_ctx *ctx, const file *o, take_rows *take, void *to)
{
    size_t rows = PIECE / o->width + 1, total = o->shape[0];
    double *real = NULL;
    float *single = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &real, rows * o->width, sizeof *real));
    RECON_TRY(recon_alloc_raw(ctx, &single, rows * o->width, sizeof *single));
    for (size_t at = 0; at < total; at += rows) {
        size_t n = total - at < rows ? total - at : rows;
        RECON_TRY(take(ctx, to, convert(o, at * o->width, n * o->width, real, single), at, n));
    }
done:
    recon_free_all(real, single);
    return status;
}

static recon_status append(recon_ctx *ctx, void *to, const void *bytes, size_t at, size_t n)
{
    (void)at;
    return recon_npy_writer_append(ctx, to, bytes, n);
}

static recon_status write_array(recon_ctx *ctx, const char *path, const file *o)
{
    recon_npy_writer *writer = NULL;
    recon_status status;
    RECON_TRY(recon_npy_writer_open(ctx, &writer, path, o->type, o->shape, o->ndim));
    RECON_TRY(each_piece(ctx, o, append, writer));
    RECON_TRY(recon_npy_writer_commit(ctx, writer));
done:
    recon_npy_writer_close(writer);
    return status;
}

static recon_status write_text(recon_ctx *ctx, const char *path, const char *text)
{
    recon_writer writer;
    recon_status status;
    RECON_TRY(recon_writer_open(ctx, &writer, path));
    RECON_TRY(recon_writer_write(ctx, &writer, text, strlen(text)));
    RECON_TRY(recon_writer_write(ctx, &writer, "\n", 1));
    RECON_TRY(recon_writer_commit(ctx, &writer));
done:
    recon_writer_close(&writer);
    return status;
}

/* --- over ranks ------------------------------------------------------------------------------- */

/* Every rank has its rows of a file, from `first` on. */
typedef struct {
    recon_writer writer;
    size_t first, head, row_bytes;
} part;

/* Rank 0 makes the file, with a header for all rows; the others write into it. */
static recon_status open_part(recon_ctx *ctx, part *p, const char *path, const file *o, size_t rows)
{
    char temporary[RECON_PATH] = "";
    recon_array all = { .dtype = o->type, .ndim = o->ndim };
    recon_npy_header head;
    recon_status status;
    memcpy(all.shape, o->shape, sizeof o->shape);
    all.shape[0] = rows;
    RECON_TRY(recon_npy_make_header(ctx, head, &p->head, &all, path));
    p->row_bytes = o->width * recon_dtype_size(o->type);
    if (recon_comm_rank(ctx) == 0) {
        status = recon_writer_open(ctx, &p->writer, path);
        if (status == RECON_OK)
            status = recon_writer_write_at(ctx, &p->writer, head, p->head, 0);
        if (status == RECON_OK)
            snprintf(temporary, sizeof temporary, "%s", p->writer.temporary);
    }
    RECON_TRY(recon_comm_agree(ctx, status));
    RECON_TRY(recon_comm_broadcast(ctx, temporary, sizeof temporary, 0));
    if (recon_comm_rank(ctx) > 0)
        status = recon_writer_join(ctx, &p->writer, temporary);
    RECON_TRY(recon_comm_agree(ctx, status));
done:
    return status;
}

static recon_status put_in_place(recon_ctx *ctx, void *to, const void *bytes, size_t at, size_t n)
{
    part *p = to;
    return recon_writer_write_at(ctx, &p->writer, bytes, n * p->row_bytes,
                                 p->head + (p->first + at) * p->row_bytes);
}

static recon_status write_part(recon_ctx *ctx, part *p, const file *o)
{
    RECON_CHECK(each_piece(ctx, o, put_in_place, p));
    return recon_writer_sync(ctx, &p->writer);
}

static recon_status write_share(recon_ctx *ctx, const char *path, const file *o, size_t first,
                                size_t rows)
{
    part p = { .writer = { .fd = -1 }, .first = first };
    recon_status status;
    RECON_TRY(open_part(ctx, &p, path, o, rows));
    RECON_TRY(recon_comm_agree(ctx, write_part(ctx, &p, o)));
    if (recon_comm_rank(ctx) == 0)
        status = recon_writer_commit(ctx, &p.writer);
    RECON_TRY(recon_comm_agree(ctx, status));
done:
    recon_writer_close(&p.writer);
    return status;
}

recon_status recon_frames_put_share(recon_ctx *ctx, const char *dir, const recon_frames *frames,
                                    recon_dtype poses, size_t first, size_t rows,
                                    const char *summary)
{
    file files[FILES];
    char path[RECON_PATH];
    size_t count = list_files(files, frames, poses);
    recon_status status = RECON_OK;
    if (recon_comm_size(ctx) == 1)
        return recon_frames_put(ctx, dir, frames, poses, summary);
    for (size_t i = 0; status == RECON_OK && i < count; i++)
        status =
            write_share(ctx, recon_folder_join(path, dir, files[i].name), &files[i], first, rows);
    if (status == RECON_OK && recon_comm_rank(ctx) == 0)
        status = write_text(ctx, recon_folder_join(path, dir, "summary.json"), summary);
    return recon_comm_agree(ctx, status);
}

recon_status recon_frames_put(recon_ctx *ctx, const char *dir, const recon_frames *frames,
                              recon_dtype poses, const char *summary)
{
    file files[FILES];
    char path[RECON_PATH];
    size_t count = list_files(files, frames, poses);
    for (size_t i = 0; i < count; i++)
        RECON_CHECK(write_array(ctx, recon_folder_join(path, dir, files[i].name), &files[i]));
    if (summary)
        RECON_CHECK(write_text(ctx, recon_folder_join(path, dir, "summary.json"), summary));
    return RECON_OK;
}

void recon_frames_list(json_t **summary, const recon_frames *frames, const char *const *more)
{
    file files[FILES];
    size_t count = list_files(files, frames, RECON_F64);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        recon_json_append(&list, json_string(files[i].name));
    for (; more && *more; more++)
        recon_json_append(&list, json_string(*more));
    recon_json_append(&list, json_string("summary.json"));
    recon_json_put(summary, "files", list);
}

recon_status recon_frames_write(recon_ctx *ctx, const char *dir, const recon_frames *frames,
                                recon_dtype poses, const char *summary)
{
    recon_stage stage;
    recon_status status;
    if (poses != RECON_F32 && poses != RECON_F64)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: poses are written as float32 or float64", dir);
    RECON_TRY(recon_stage_open(ctx, &stage, dir, RECON_RESULT));
    RECON_TRY(recon_frames_put(ctx, stage.path, frames, poses, summary));
    RECON_TRY(recon_stage_commit(ctx, &stage));
done:
    recon_stage_close(ctx, &stage);
    return status;
}
