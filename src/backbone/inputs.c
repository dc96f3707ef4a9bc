/* inputs.c - opens the inputs of a run, takes a subset, rotates it and fits it to a backbone. */
#include "backbone/inputs.h"
#include "backbone/kinds.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/crop.h"
#include "data/dataset.h"
#include "data/folder.h"
#include "data/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- opened ----------------------------------------------------------------------------------- */

/* An application's own kind need not have every function. */
static recon_status lacks(recon_ctx *ctx, const recon_data_kind *kind, const char *what)
{
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "%s: not supported by data of kind %s", what,
                      kind->name);
}

static recon_status note_skipped(recon_ctx *ctx, recon_inputs *in)
{
    const char *text;
    in->skipped = recon_data_describe(in->whole).skipped;
    if (!in->whole->kind->skipped)
        return RECON_OK;
    for (size_t i = 0; (text = in->whole->kind->skipped(in->whole, i)); i++)
        RECON_CHECK(recon_skips_add(ctx, &in->skips, text));
    return RECON_OK;
}

/* Before the data are read, which may take long. */
static recon_status check_kind(recon_ctx *ctx, const char *spec, const recon_data *data,
                               const recon_backbone *b)
{
    const char *name = data ? data->kind->name : recon_data_kind_of(spec)->name;
    return (!data && !recon_data_is(spec)) || !strcmp(name, b->kind->data)
               ? RECON_OK
               : recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but the model takes %s", spec, name,
                            b->kind->data);
}

/* How the backbone has its data opened, with what was asked for. */
static recon_data_options options_of(const recon_source *s, int folder, const recon_backbone *b)
{
    recon_data_options o = { .skip_bad = s->skip_bad,
                             .crop = s->crop > 0,
                             .size = s->size,
                             .channels = s->channels,
                             .picture_most = s->picture_most };
    if (b)
        recon_backbone_data_options(b, &o);
    if (!folder) { /* only pictures of a folder are resized */
        o.size = s->size;
        o.channels = 0;
    }
    return o;
}

/* An object that is not in the middle would leave the disc of the shorter side when it is rotated,
 * and nothing of that disc is lost if it is cropped. */
static recon_status crop_if_within(recon_ctx *ctx, recon_inputs *in, const char *spec,
                                   recon_data_options *o)
{
    const recon_dataset *images = recon_data_images(in->whole);
    double span;
    if (!images || !in->folder || !recon_dataset_is_cut(images))
        return RECON_OK;
    RECON_CHECK(recon_dataset_span(ctx, &span, images));
    if (span >= RECON_CROP_WITHIN)
        return RECON_OK;
    recon_log(ctx, RECON_LOG_INFO,
              "%s: objects span %.0f %% of their frames (median), which are not square: they are "
              "cropped, as with {crop=auto}; {crop=none} leaves them as they are",
              spec, 100 * span);
    recon_data_close(in->whole);
    in->whole = NULL;
    in->cropped = o->crop = 1;
    return recon_data_open(ctx, &in->whole, spec, o);
}

recon_status recon_inputs_begin(recon_ctx *ctx, recon_inputs *out, const recon_source *source,
                                const recon_data *data, const recon_backbone *backbone)
{
    recon_data_options o;
    *out = (recon_inputs){ .lent = data != NULL };
    if (backbone)
        RECON_CHECK(check_kind(ctx, source->spec, data, backbone));
    out->folder = !data && recon_images_folder(source->spec);
    o = options_of(source, out->folder, backbone);
    out->cropped = o.crop;
    if (data)
        out->whole = (recon_data *)data; /* not closed, and nothing else changes it */
    else
        RECON_CHECK(recon_data_open(ctx, &out->whole, source->spec, &o));
    if (source->crop < 0)
        RECON_CHECK(crop_if_within(ctx, out, source->spec, &o));
    out->use = out->whole;
    out->n = recon_data_describe(out->whole).n;
    if (backbone)
        RECON_CHECK(recon_backbone_check_data(ctx, backbone, out->whole));
    RECON_CHECK(note_skipped(ctx, out));
    const recon_data_kind *kind = out->whole->kind;
    if (source->limit && source->limit < out->n) {
        if (!kind->take)
            return lacks(ctx, kind, "limit");
        RECON_CHECK(
            kind->take(ctx, &out->part, out->use, source->limit, source->seed ? source->seed : 1));
        out->use = out->part;
    }
    if (source->rotate) {
        if (!kind->rotate)
            return lacks(ctx, kind, "rotate");
        RECON_CHECK(kind->rotate(ctx, &out->rotated, out->use, source->rotate,
                                 source->rotate_seed ? source->rotate_seed : 1));
        out->use = out->rotated;
    }
    out->n = recon_data_describe(out->use).n;
    return RECON_OK;
}

void recon_inputs_end(recon_inputs *in)
{
    recon_data_close(in->known);
    recon_data_close(in->rotated);
    recon_data_close(in->part);
    if (!in->lent)
        recon_data_close(in->whole);
    recon_skips_free(&in->skips);
    *in = (recon_inputs){ 0 };
}

recon_status recon_inputs_open(recon_ctx *ctx, recon_inputs **out, const recon_source *source,
                               const recon_data *data, const recon_backbone *backbone)
{
    recon_inputs *in = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc(ctx, &in, 1, sizeof *in));
    RECON_TRY(recon_inputs_begin(ctx, in, source, data, backbone));
    if (backbone)
        RECON_TRY(recon_inputs_keep(ctx, in, source->spec, source->skip_bad, backbone));
    *out = in;
    in = NULL;
done:
    recon_inputs_close(in);
    return status;
}

void recon_inputs_close(recon_inputs *in)
{
    if (in)
        recon_inputs_end(in);
    free(in);
}

const recon_data *recon_inputs_data(const recon_inputs *in)
{
    return in->use;
}

size_t recon_inputs_record(recon_source *source, recon_metadata_entry more[RECON_INPUTS_ENTRIES],
                           const recon_inputs *in)
{
    const recon_dataset *images = recon_data_images(in->whole);
    size_t n = 0;
    more[n++] = (recon_metadata_entry){ "rotate", source->rotate ? source->rotate : "" };
    source->crop = in->cropped;
    if (images) {
        source->unread = recon_dataset_unread(images);
        source->transparent = in->folder ? RECON_TRANSPARENT : NULL;
    }
    if (source->transparent)
        more[n++] = (recon_metadata_entry){ "transparent", RECON_TRANSPARENT };
    if (in->cropped)
        more[n++] = (recon_metadata_entry){ "crop", "auto" };
    return n;
}

/* --- one of them ------------------------------------------------------------------------------ */

/* The one of n places, in ascending order, that holds a row of the file. */
static size_t find_row(const recon_data *whole, size_t row)
{
    size_t first = 0, n = recon_data_describe(whole).n;
    while (n > 1) {
        size_t half = n / 2;
        if (whole->kind->origin(whole, first + half) <= row)
            first += half;
        n -= half;
    }
    return first;
}

size_t recon_inputs_row(const recon_inputs *in, size_t i)
{
    const recon_data *of = in->part;
    if (!in->whole->kind->origin)
        return i;
    if (in->known && in->rotated) /* what was rotated is numbered as what it was made from */
        i = in->known->kind->origin(in->known, i);
    else if (in->known)
        of = in->known;
    return of ? find_row(in->whole, of->kind->origin(of, i)) : i;
}

/* Rotated images have no files of their own: those they were made from have. */
const recon_data *recon_inputs_unrotated(const recon_inputs *in)
{
    return !recon_data_images(in->use) ? in->use : in->part ? in->part : in->whole;
}

const char *recon_inputs_name(const recon_inputs *in, size_t i)
{
    const recon_data *from = recon_inputs_unrotated(in);
    return from->kind->name_of ? from->kind->name_of(from, i) : NULL;
}

const char *recon_inputs_label(recon_input_name out, const recon_inputs *in, size_t i)
{
    const char *name = recon_inputs_name(in, i);
    snprintf(out, sizeof(recon_input_name), "%s", name ? name : "");
    recon_keep_to_one_line(out);
    return out;
}

/* --- those that can be used ------------------------------------------------------------------- */

static recon_status name_input(recon_ctx *ctx, const recon_inputs *in, size_t i, const char *spec)
{
    char why[512];
    recon_input_name name;
    snprintf(why, sizeof why, "%s", recon_ctx_message(ctx));
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s %zu (%s): %s", spec, in->use->kind->one,
                      recon_inputs_row(in, i), recon_inputs_label(name, in, i), why);
}

/* To rows [n] those that are accepted; *count how many. */
static recon_status find_accepted(recon_ctx *ctx, size_t *rows, size_t *count, recon_inputs *in,
                                  const char *spec, int skip_bad, recon_accept *accept,
                                  const void *user)
{
    recon_status status = RECON_OK;
    *count = 0;
    for (size_t i = 0; status == RECON_OK && i < in->n; i++) {
        status = accept(ctx, user, in->use, i);
        if (status == RECON_OK)
            rows[(*count)++] = i;
        else if (status == RECON_ERR_INPUT)
            status = name_input(ctx, in, i, spec);
        if (status == RECON_ERR_INPUT && skip_bad)
            status = recon_skips_add(ctx, &in->skips, recon_ctx_message(ctx));
    }
    return status;
}

recon_status recon_inputs_filter(recon_ctx *ctx, recon_inputs *in, const char *spec, int skip_bad,
                                 recon_accept *accept, const void *user)
{
    size_t *rows = NULL, count;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &rows, in->n, sizeof *rows));
    RECON_TRY(find_accepted(ctx, rows, &count, in, spec, skip_bad, accept, user));
    if (count == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: none of the %s can be used by the model",
                             spec, in->use->kind->many));
    if (count < in->n && !in->use->kind->pick)
        RECON_TRY(lacks(ctx, in->use->kind, "skip_bad"));
    if (count < in->n) {
        RECON_TRY(in->use->kind->pick(ctx, &in->known, in->use, rows, count));
        in->use = in->known;
        in->skipped += in->n - count;
        in->n = count;
    }
done:
    free(rows);
    return status;
}

static recon_status accept_by_backbone(recon_ctx *ctx, const void *user, const recon_data *data,
                                       size_t i)
{
    const recon_backbone *b = user;
    return b->kind->accepts(ctx, b, data, i);
}

recon_status recon_inputs_keep(recon_ctx *ctx, recon_inputs *in, const char *spec, int skip_bad,
                               const recon_backbone *b)
{
    return b->kind->accepts ? recon_inputs_filter(ctx, in, spec, skip_bad, accept_by_backbone, b)
                            : RECON_OK;
}

recon_status recon_inputs_check(recon_ctx *ctx, const recon_inputs *in, size_t i, const char *spec,
                                const recon_backbone *b)
{
    recon_status status = b->kind->accepts ? b->kind->accepts(ctx, b, in->use, i) : RECON_OK;
    return status == RECON_ERR_INPUT ? name_input(ctx, in, i, spec) : status;
}
