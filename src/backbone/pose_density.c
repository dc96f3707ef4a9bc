/* pose_density.c - the head for the pose density, and its output as a density. */
#include "backbone/pose_density.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/params.h"
#include "group/so2/mean.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = RECON_POSE_BINS, HIDDEN = 128, HIDDEN_LAST = 64 };
#define DROPOUT 0.2

/* The block of one bin: a field of frequency m rotates by -m angle. */
static void fill_rotation(double *block, const recon_fields *f, size_t channels, double angle)
{
    for (size_t m = 0, at = 0; m < RECON_FREQUENCIES; m++)
        for (size_t i = 0; i < f->of[m]; i++, at += recon_field_size(m)) {
            double c = cos((double)m * angle), s = sin((double)m * angle);
            double *row = block + at * channels + at;
            row[0] = c;
            if (m == 0)
                continue;
            row[1] = s;
            row[channels] = -s;
            row[channels + 1] = c;
        }
}

recon_status recon_pose_density_add(recon_ctx *ctx, recon_pose_density *h, recon_params *params,
                                    const char *name, const recon_fields *fields)
{
    const size_t sizes[] = { recon_fields_channels(fields), HIDDEN, HIDDEN_LAST, 1 };
    *h = (recon_pose_density){ .fields = *fields };
    RECON_CHECK(recon_mlp_add(ctx, &h->mlp, params, name, sizes, 4, DROPOUT));
    size_t channels = recon_fields_channels(&h->fields);
    double *all = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &all, BINS * channels * channels, sizeof *all));
    for (size_t b = 0; b < BINS; b++)
        fill_rotation(all + b * channels * channels, &h->fields, channels,
                      2 * M_PI * (double)b / BINS);
    RECON_TRY(recon_params_keep(ctx, &h->rotations, params, all,
                                (const size_t[]){ BINS * channels, channels }, 2));
done:
    free(all);
    return status;
}

recon_var recon_pose_density_apply(recon_tape *t, const recon_pose_density *h, recon_var v)
{
    size_t channels = recon_fields_channels(&h->fields);
    if (!v)
        return NULL;
    size_t n = recon_var_shape(v, NULL)[0];
    v = recon_var_linear(t, v, recon_var_param(t, h->rotations), NULL);
    v = recon_var_reshape(t, v, (size_t[]){ n * BINS, channels }, 2);
    v = recon_mlp_apply(t, &h->mlp, v);
    return recon_var_reshape(t, v, (size_t[]){ n, BINS }, 2);
}

int32_t recon_pose_bin(double angle)
{
    int32_t b = (int32_t)lround(angle * BINS / (2 * M_PI)) % BINS;
    return b < 0 ? b + BINS : b;
}

double recon_pose_centre(const float *log_q)
{
    recon_so2_density q = { .family = RECON_SO2_BINS };
    for (int b = 0; b < BINS; b++)
        q.bin[b] = expf(log_q[b]);
    return recon_so2_centre(&q, NULL);
}

void recon_pose_densities(float *out, const double *logits, size_t n)
{
    for (; n > 0; n--, out += BINS, logits += BINS) {
        double top = logits[0], sum = 0;
        for (int b = 1; b < BINS; b++)
            top = fmax(top, logits[b]);
        for (int b = 0; b < BINS; b++)
            sum += exp(logits[b] - top);
        for (int b = 0; b < BINS; b++)
            out[b] = (float)(logits[b] - top - log(sum) + log(BINS / (2 * M_PI)));
    }
}
