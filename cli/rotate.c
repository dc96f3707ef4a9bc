/* rotate.c - see rotate.h. */
#include "cli/rotate.h"
#include "cli/rounds.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "data/image.h"
#include "group/group.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const cli_rotating *job;
    const recon_group *group;
    cli_sink *to;
    cli_rotated *did;
    char *in, *out; /* [CLI_BLOCK] inputs                                    */
    size_t there;   /* 1 + the first input that is in `in`; 0: none          */
    double *g;      /* [CLI_BLOCK] rotations, poses of the group             */
} flow;

static recon_status make_room(recon_ctx *ctx, flow *f)
{
    const cli_inputs *in = f->to->inputs;
    RECON_CHECK(recon_alloc_raw(ctx, &f->in, CLI_BLOCK, recon_data_describe(in->use).bytes));
    RECON_CHECK(recon_alloc_raw(ctx, &f->out, f->to->block_bytes, 1));
    RECON_CHECK(recon_alloc_raw(ctx, &f->did->absolute, in->n,
                                recon_group_written(f->group) * sizeof *f->did->absolute));
    return recon_alloc_raw(ctx, &f->g, CLI_BLOCK, f->group->numbers * sizeof *f->g);
}

/* The model saw crops; what is written are the images they were made from, rotated by g. What --rotate
 * did is part of the one rotation. */
static recon_status rotate_whole(recon_ctx *ctx, flow *f, size_t at, size_t n)
{
    const recon_dataset *images = recon_data_images(f->to->inputs->use);
    const recon_dataset_info d = recon_dataset_describe(images);
    float *in = (float *)f->in;
    f->there = 0;
    for (size_t i = 0; i < n; i++) {
        cli_images_whole(in + i * d.height * d.width * d.channels, f->to->inputs, at + i);
        f->g[i] += recon_dataset_angle(images, at + i);
    }
    return recon_images_rotate(ctx, (float *)f->out, in, NULL, f->g, n,
                               &(recon_image_size){ d.height, d.width, d.channels },
                               f->to->how.interpolation, 0);
}

/* Inputs of a block, unless they are there. */
static void read_block(flow *f, size_t at, size_t n)
{
    const recon_data *data = f->to->inputs->use;
    if (f->there != at + 1)
        data->kind->read(f->in, data, at, n);
    f->there = at + 1;
}

static recon_status answer(recon_ctx *ctx, void *arg, void *out, size_t at, size_t n)
{
    flow *f = arg;
    recon_row *rows = out;
    double begun = recon_now();
    read_block(f, at, n);
    recon_status status = recon_rows_find(ctx, rows, f->job->model, f->in, n, f->job->how);
    for (size_t i = 0; status == RECON_OK && f->job->amend && i < n; i++)
        f->job->amend(f->job->arg, &rows[i], at + i, f->group);
    f->did->seconds += recon_now() - begun;
    return status;
}

static recon_status take(recon_ctx *ctx, void *arg, const void *answers, size_t at, size_t n)
{
    flow *f = arg;
    const recon_row *rows = answers;
    const recon_backbone *b = recon_model_backbone(f->job->model);
    const recon_group *group = f->group;
    for (size_t i = 0; i < n; i++) {
        memcpy(f->g + i * group->numbers, rows[i].pose.rotation, group->numbers * sizeof *f->g);
        recon_group_write(group, f->did->absolute + (at + i) * recon_group_written(group),
                          rows[i].pose.absolute, 1);
        f->did->rotated += (size_t)rows[i].rotated;
        f->did->why[rows[i].why]++;
        f->did->free += rows[i].pose.free > 0;
        f->did->unlike += f->to->has_table && rows[i].p_embedding < CLI_UNLIKE;
    }
    if (f->to->has_table)
        RECON_CHECK(recon_table_add(ctx, &f->to->table, rows, at, n));
    read_block(f, at, n);
    if (f->to->folder)
        return cli_sink_pictures(ctx, f->to, (float *)f->out, (const float *)f->in, f->g, at, n);
    double begun = recon_now();
    if (f->to->inputs->cropped)
        RECON_CHECK(rotate_whole(ctx, f, at, n));
    else
        RECON_CHECK(b->kind->rotate(ctx, f->out, b, f->in, f->g, n, f->to->how.interpolation));
    f->did->seconds += recon_now() - begun;
    return cli_sink_take(ctx, f->to, f->out, at, n);
}

recon_status cli_rotate(recon_ctx *ctx, cli_rotated *out, const cli_rotating *job)
{
    flow f = {
        .job = job, .group = recon_model_describe(job->model).group, .to = job->to, .did = out
    };
    const cli_inputs *in = job->to->inputs;
    recon_status status;
    RECON_TRY(make_room(ctx, &f));
    RECON_TRY(cli_rounds_run(ctx,
                             &(cli_rounds){ .data = in->use,
                                            .n = in->n,
                                            .block = CLI_BLOCK,
                                            .each = sizeof(recon_row),
                                            .arg = &f,
                                            .answer = answer,
                                            .take = take },
                             "canonicalize"));
done:
    recon_free_all(f.in, f.out, f.g);
    return status;
}
