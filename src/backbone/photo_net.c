/* photo_net.c - the presets `photo` and `photo-small`.
 *
 * Residual blocks as in ResNet-18 (He et al., CVPR 2016). A stem of convolutions halves larger
 * pictures until they are no larger than the grid, so that what a pass costs grows slowly with the
 * size of the pictures. */
#include "backbone/photo_net.h"
#include "backbone/recipe.h"
#include "core/fail.h"

#include <math.h>
#include <recon/backbone/embedded.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    size_t width, stages, grid; /* channels of the first stage, and its pixels a side at most */
} preset;

static const preset photo = { "photo", 64, 4, 48 }, photo_small = { "photo-small", 32, 3, 24 };
enum { BLOCKS_A_STAGE = 2, MAX_CODE = 4096, LEAST = 16, MOST = 256, NARROWEST = 8 };
#define DROPOUT 0.1

static const preset *preset_of(recon_preset p)
{
    return p == RECON_PRESET_PHOTO ? &photo : &photo_small;
}

int recon_preset_is_photo(recon_preset p)
{
    return p == RECON_PRESET_PHOTO || p == RECON_PRESET_PHOTO_SMALL;
}

recon_status recon_photo_shape(recon_ctx *ctx, recon_ieae_shape *s)
{
    const preset *p = preset_of(s->preset);
    if (s->frequencies > 1)
        return recon_fail(ctx, RECON_ERR_INPUT, "preset %s has no frequencies: it is not steerable",
                          p->name);
    recon_recipe_fill(s, &recon_ieae_recipe, s->preset, 0, 1);
    s->mask = RECON_MASK_DISC;
    if (!(s->width >= 1.0 / 64 && s->width <= 64))
        return recon_fail(ctx, RECON_ERR_INPUT, "width %g: 1/64 to 64", s->width);
    if (s->code > MAX_CODE)
        return recon_fail(ctx, RECON_ERR_INPUT, "a code of %zu: at most %d", s->code, MAX_CODE);
    if (s->height != s->width_px || s->height < LEAST || s->height > MOST)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "images of %zu x %zu: preset %s takes squares of %d x %d to %d x %d",
                          s->height, s->width_px, p->name, LEAST, LEAST, MOST, MOST);
    return RECON_OK;
}

static size_t width_of(const recon_ieae_shape *s)
{
    double n = round((double)preset_of(s->preset)->width * s->width);
    return n < NARROWEST ? NARROWEST : (size_t)n;
}

static size_t halvings_of(const recon_ieae_shape *s)
{
    size_t n = 0, side = s->height;
    for (; side > preset_of(s->preset)->grid; n++)
        side = (side + 1) / 2;
    return n;
}

static recon_status add_stem(recon_ctx *ctx, recon_photo_net *net, recon_params *p,
                             const char *name, const recon_ieae_shape *s)
{
    size_t in = s->channels, halvings = halvings_of(s);
    recon_layer_name full;
    net->stems = halvings + 1;
    for (size_t i = 0; i < net->stems; i++) {
        /* Channels grow as the picture shrinks, and are the first stage's when it has shrunk. */
        size_t n = width_of(s) >> (halvings - i);
        size_t out = n < NARROWEST ? NARROWEST : n;
        snprintf(full, sizeof full, "%s.stem%zu", name, i);
        RECON_CHECK(recon_conv_add(ctx, &net->stem[i], p, full, in, out,
                                   &(recon_conv_layer_options){ .stride = i ? 2 : 1 }));
        snprintf(full, sizeof full, "%s.stem_norm%zu", name, i);
        RECON_CHECK(recon_norm_add(ctx, &net->norm[i], p, full, out, 1));
        in = out;
    }
    return RECON_OK;
}

static recon_status add_heads(recon_ctx *ctx, recon_photo_net *net, recon_params *p,
                              const char *name, const recon_ieae_shape *s, size_t features)
{
    const size_t sizes[] = { features, features, s->code };
    recon_layer_name full;
    snprintf(full, sizeof full, "%s.code", name);
    RECON_CHECK(recon_mlp_add(ctx, &net->code, p, full, sizes, 3, 0));
    snprintf(full, sizeof full, "%s.pose", name);
    RECON_CHECK(recon_linear_add(ctx, &net->pose, p, full, features, 2));
    snprintf(full, sizeof full, "%s.density", name);
    net->has_density = s->density;
    if (net->has_density)
        RECON_CHECK(recon_linear_add(ctx, &net->density, p, full, features, RECON_POSE_BINS));
    return RECON_OK;
}

recon_status recon_photo_net_add(recon_ctx *ctx, recon_photo_net *net, recon_params *p,
                                 const char *name, const recon_ieae_shape *s)
{
    size_t width = width_of(s), in = width;
    recon_layer_name full;
    *net = (recon_photo_net){ .blocks = BLOCKS_A_STAGE * preset_of(s->preset)->stages };
    RECON_CHECK(add_stem(ctx, net, p, name, s));
    for (size_t i = 0; i < net->blocks; i++) {
        size_t out = width << i / BLOCKS_A_STAGE;
        snprintf(full, sizeof full, "%s.stage%zu.%zu", name, i / BLOCKS_A_STAGE,
                 i % BLOCKS_A_STAGE);
        RECON_CHECK(recon_residual_add(ctx, &net->block[i], p, full, in, out, out == in ? 1 : 2));
        in = out;
    }
    return add_heads(ctx, net, p, name, s, in);
}

void recon_photo_net_apply(recon_tape *t, const recon_photo_net *net, recon_var x, recon_var *code,
                           recon_var *pose, recon_var *density)
{
    for (size_t i = 0; i < net->stems; i++) {
        x = recon_conv_apply(t, &net->stem[i], recon_tape_pass(t, x));
        x = recon_norm_relu_apply(t, &net->norm[i], x, NULL);
    }
    for (size_t i = 0; i < net->blocks; i++)
        x = recon_residual_apply(t, &net->block[i], recon_tape_pass(t, x));
    if (recon_tape_activations(t) == RECON_BF16)
        x = recon_var_cast(t, x, RECON_F32);
    x = recon_var_spatial_mean(t, x);
    *code = recon_mlp_apply(t, &net->code, x);
    *pose = recon_linear_apply(t, &net->pose, x);
    *density = NULL;
    if (net->has_density)
        *density = recon_linear_apply(t, &net->density, recon_var_dropout(t, x, DROPOUT));
}

/* --- quarter turns ---------------------------------------------------------------------------- */

/* Counter-clockwise: what was on the right comes to the top. */
static void turn(float *out, const float *in, size_t side, size_t c)
{
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++)
            memcpy(out + (i * side + j) * c, in + (j * side + side - 1 - i) * c, c * sizeof *out);
}

void recon_quarters_make(float *out, const float *in, size_t n, size_t side, size_t channels)
{
    size_t size = side * side * channels;
    if (out != in)
        memcpy(out, in, n * size * sizeof *out);
    for (size_t i = n; i < RECON_QUARTERS * n; i++)
        turn(out + i * size, out + (i - n) * size, side, channels);
}

static double mean4(const double v[RECON_QUARTERS])
{
    return ((v[0] + v[2]) + (v[1] + v[3])) / RECON_QUARTERS;
}

void recon_quarters_join_code(double *code, size_t n, size_t d)
{
    for (size_t i = 0; i < n * d; i++)
        code[i] =
            mean4((double[]){ code[i], code[n * d + i], code[2 * n * d + i], code[3 * n * d + i] });
}

/* Rotated back by 90, 180 and 270 degrees. */
void recon_quarters_join_pose(double *pose, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double *a = pose + 2 * i, *b = a + 2 * n, *c = b + 2 * n, *d = c + 2 * n;
        double x = mean4((double[]){ a[0], b[1], -c[0], -d[1] });
        double y = mean4((double[]){ a[1], -b[0], -c[1], d[0] });
        pose[2 * i] = x;
        pose[2 * i + 1] = y;
    }
}

void recon_quarters_join_density(double *logits, size_t n)
{
    enum { BINS = RECON_POSE_BINS, QUARTER = BINS / RECON_QUARTERS };
    double joined[BINS];
    for (size_t i = 0; i < n; i++) {
        for (size_t b = 0; b < BINS; b++) {
            double v[RECON_QUARTERS];
            for (size_t k = 0; k < RECON_QUARTERS; k++)
                v[k] = logits[(k * n + i) * BINS + (b + k * QUARTER) % BINS];
            joined[b] = mean4(v);
        }
        memcpy(logits + i * BINS, joined, sizeof joined);
    }
}

/* --- softened --------------------------------------------------------------------------------- */

static float at(const float *x, size_t side, size_t c, size_t i, size_t j)
{
    return i < side && j < side ? x[(i * side + j) * c] : 0; /* -1 is beyond the end, too */
}

/* The square of (1, 6, 1) / 8: opposite neighbours first, so that a turn changes no sum. */
static float soft(const float *x, size_t side, size_t c, size_t i, size_t j)
{
    float across = at(x, side, c, i, j - 1) + at(x, side, c, i, j + 1);
    float along = at(x, side, c, i - 1, j) + at(x, side, c, i + 1, j);
    float falling = at(x, side, c, i - 1, j - 1) + at(x, side, c, i + 1, j + 1);
    float rising = at(x, side, c, i - 1, j + 1) + at(x, side, c, i + 1, j - 1);
    return 36.0f / 64 * at(x, side, c, i, j) + 6.0f / 64 * (across + along) +
           1.0f / 64 * (falling + rising);
}

void recon_quarters_soften(float *out, const float *in, size_t n, size_t side, size_t channels)
{
    size_t size = side * side * channels;
    for (size_t k = 0; k < n; k++, out += size, in += size)
        for (size_t i = 0; i < side; i++)
            for (size_t j = 0; j < side; j++)
                for (size_t c = 0; c < channels; c++)
                    out[(i * side + j) * channels + c] = soft(in + c, side, channels, i, j);
}
