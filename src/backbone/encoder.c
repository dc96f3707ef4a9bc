/* encoder.c - the layers of the presets, from an image to its code and pose.
 *
 * The mean over pixels is taken before the 1 x 1 layers for code and pose: both are linear, so the
 * order is free, and this one is cheaper by the number of pixels. From there on everything is
 * computed in float. */
#include "backbone/encoder.h"
#include "backbone/recipe.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    recon_fields fields;
    size_t size, pad;
    int pool;
} layer;

typedef struct {
    const char *name;
    size_t layers, hidden; /* hidden of the MLP behind the head; 0: no MLP */
    recon_rings rings;
    recon_fields seen; /* by the pose density */
    layer layer[RECON_ENCODER_LAYERS];
} preset;

static const preset presets[] = {
    [RECON_PRESET_FAST] = { .name = "fast",
                            .hidden = 256,
                            .rings = RECON_RINGS_WIDE,
                            .seen = { { 64, 32, 16, 8 } },
                            .layers = 6,
                            .layer = { { { { 32, 24, 16, 8 } }, 7, 3, 0 },
                                       { { { 32, 24, 16, 8 } }, 5, 2, 1 },
                                       { { { 64, 48, 24, 8 } }, 5, 2, 0 },
                                       { { { 64, 48, 24, 8 } }, 5, 2, 1 },
                                       { { { 64, 48, 24, 8 } }, 5, 2, 0 },
                                       { { { 128, 48, 24, 8 } }, 3, 1, 0 } } },
    [RECON_PRESET_PAPER] = { .name = "paper",
                             .rings = RECON_RINGS_NARROW,
                             .seen = { { 32, 32 } },
                             .layers = 6,
                             .layer = { { { { 32, 32 } }, 7, 1, 0 },
                                        { { { 32, 32 } }, 5, 2, 0 },
                                        { { { 32, 32 } }, 5, 2, 0 },
                                        { { { 32, 32 } }, 5, 2, 0 },
                                        { { { 32, 32 } }, 5, 2, 0 },
                                        { { { 32, 32 } }, 3, 2, 0 } } },
    [RECON_PRESET_SMALL] = { .name = "small",
                             .hidden = 256,
                             .rings = RECON_RINGS_WIDE,
                             .seen = { { 32, 16, 16, 16 } },
                             .layers = 5,
                             .layer = { { { { 8, 6, 4, 4 } }, 7, 3, 1 },
                                        { { { 12, 8, 4, 4 } }, 5, 2, 0 },
                                        { { { 12, 8, 4, 4 } }, 5, 2, 1 },
                                        { { { 24, 16, 8, 8 } }, 5, 2, 0 },
                                        { { { 48, 16, 8, 8 } }, 3, 1, 0 } } },
};
enum { MAX_CODE = 4096, MIN_SIDE = 8 };

const char *recon_preset_name(recon_preset p)
{
    if (recon_preset_is_photo(p))
        return p == RECON_PRESET_PHOTO ? "photo" : "photo-small";
    return presets[p].name;
}

recon_status recon_encoder_shape(recon_ctx *ctx, recon_ieae_shape *s)
{
    RECON_CHECK(recon_enum_check(ctx, s->preset, RECON_PRESET_PHOTO_SMALL, "preset"));
    if (recon_preset_is_photo(s->preset))
        return recon_photo_shape(ctx, s);
    recon_recipe_fill(s, &recon_ieae_recipe, s->preset, 0, 1);
    if (!(s->width >= 1.0 / 64 && s->width <= 64))
        return recon_fail(ctx, RECON_ERR_INPUT, "width %g: 1/64 to 64", s->width);
    if (s->frequencies < 2 || s->frequencies > 4)
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu frequencies: 2 to 4", s->frequencies);
    if (s->code > MAX_CODE)
        return recon_fail(ctx, RECON_ERR_INPUT, "a code of %zu: at most %d", s->code, MAX_CODE);
    if (s->height < MIN_SIDE || s->width_px < MIN_SIDE)
        return recon_fail(ctx, RECON_ERR_INPUT, "images of %zu x %zu: %d x %d at least", s->height,
                          s->width_px, MIN_SIDE, MIN_SIDE);
    return RECON_OK;
}

/* A preset that knows fewer frequencies than are asked for repeats its last one. */
static recon_fields scaled(const recon_fields *f, const recon_ieae_shape *s)
{
    size_t known = (size_t)recon_recipe_default(&recon_ieae_recipe, "frequencies", s->preset, 0);
    recon_fields out = { { 0 } };
    for (size_t m = 0; m < s->frequencies; m++) {
        double n = round((double)f->of[m < known ? m : known - 1] * s->width);
        out.of[m] = n < 1 ? 1 : (size_t)n;
    }
    return out;
}

static recon_status add_head(recon_ctx *ctx, recon_encoder *e, recon_params *p, const char *name,
                             const recon_fields *in, const recon_ieae_shape *s)
{
    recon_fields seen = s->density ? scaled(&presets[s->preset].seen, s) : (recon_fields){ { 0 } };
    recon_fields out = seen;
    recon_layer_name full;
    out.of[0] += s->code;
    out.of[1] += 1;
    snprintf(full, sizeof full, "%s.head", name);
    RECON_CHECK(recon_steerable_add(ctx, &e->head, p, full, in, &out,
                                    &(recon_steerable_options){ .size = 1 }));
    e->has_mlp = presets[s->preset].hidden > 0;
    if (e->has_mlp) {
        const size_t sizes[] = { s->code, presets[s->preset].hidden, s->code };
        snprintf(full, sizeof full, "%s.mlp", name);
        RECON_CHECK(recon_mlp_add(ctx, &e->mlp, p, full, sizes, 3, 0));
    }
    e->has_density = s->density;
    if (e->has_density) {
        snprintf(full, sizeof full, "%s.density", name);
        RECON_CHECK(recon_pose_density_add(ctx, &e->density, p, full, &seen));
    }
    return RECON_OK;
}

recon_status recon_encoder_add(recon_ctx *ctx, recon_encoder *e, recon_params *p, const char *name,
                               const recon_ieae_shape *s)
{
    recon_fields in = { { s->channels } };
    if (recon_preset_is_photo(s->preset)) {
        *e = (recon_encoder){ .code = s->code, .is_photo = 1 };
        return recon_photo_net_add(ctx, &e->photo, p, name, s);
    }
    const preset *pre = &presets[s->preset];
    *e = (recon_encoder){ .layers = pre->layers, .code = s->code };
    for (size_t i = 0; i < pre->layers; i++) {
        recon_fields out = scaled(&pre->layer[i].fields, s);
        const layer *l = &presets[s->preset].layer[i];
        recon_layer_name full;
        snprintf(full, sizeof full, "%s.conv%zu", name, i);
        RECON_CHECK(recon_steerable_add(
            ctx, &e->conv[i], p, full, &in, &out,
            &(recon_steerable_options){
                .size = l->size, .pad = l->pad, .rings = presets[s->preset].rings }));
        snprintf(full, sizeof full, "%s.norm%zu", name, i);
        RECON_CHECK(recon_field_norm_add(ctx, &e->norm[i], p, full, &out));
        e->pool[i] = l->pool;
        in = out;
    }
    return add_head(ctx, e, p, name, &in, s);
}

recon_status recon_encoder_freeze(recon_ctx *ctx, recon_encoder *e)
{
    RECON_CHECK(e->is_photo ? RECON_OK : recon_steerable_freeze(ctx, &e->head));
    for (size_t i = 0; i < e->layers; i++)
        RECON_CHECK(recon_steerable_freeze(ctx, &e->conv[i]));
    return RECON_OK;
}

/* Windows that lie evenly about the middle, of an odd side too: a rotation by 90 degrees
 * commutes. */
static recon_var halve(recon_tape *t, recon_var x)
{
    if (!x)
        return NULL;
    const size_t *s = recon_var_shape(x, NULL);
    return recon_var_average_pool(t, x, s[1] % 2 ? 3 : 2, 2);
}

recon_var recon_encoder_layer(recon_tape *t, const recon_encoder *e, size_t i, recon_var x)
{
    x = recon_steerable_apply(t, &e->conv[i], recon_tape_pass(t, x));
    x = recon_field_norm_apply(t, &e->norm[i], x);
    return e->pool[i] ? halve(t, x) : x;
}

/* The head's columns: the code, scalars of the density, the pose, the density's pairs. */
static recon_var density_of(recon_tape *t, const recon_encoder *e, recon_var x)
{
    size_t scalars = e->density.fields.of[0];
    if (!e->has_density || !x)
        return NULL;
    recon_var parts[2] = {
        recon_var_columns(t, x, e->code, scalars),
        recon_var_columns(t, x, e->code + scalars + 2,
                          recon_fields_channels(&e->density.fields) - scalars),
    };
    return recon_pose_density_apply(t, &e->density, recon_var_concat(t, parts, 2));
}

recon_encoded recon_encoder_apply(recon_tape *t, const recon_encoder *e, recon_var x)
{
    recon_encoded out = { 0 };
    if (e->is_photo) {
        recon_photo_net_apply(t, &e->photo, x, &out.code, &out.pose, &out.density);
        return out;
    }
    for (size_t i = 0; i < e->layers; i++)
        x = recon_encoder_layer(t, e, i, x);
    if (recon_tape_activations(t) == RECON_BF16)
        x = recon_var_cast(t, x, RECON_F32);
    x = recon_var_spatial_mean(t, x);
    if (x) {
        const size_t *s = recon_var_shape(x, NULL);
        x = recon_var_reshape(t, x, (size_t[]){ s[0], 1, 1, s[1] }, 4);
    }
    x = recon_steerable_apply(t, &e->head, x);
    if (x)
        x = recon_var_reshape(
            t, x, (size_t[]){ recon_var_shape(x, NULL)[0], recon_fields_channels(&e->head.out) },
            2);
    out.code = recon_var_columns(t, x, 0, e->code);
    if (e->has_mlp)
        out.code = recon_mlp_apply(t, &e->mlp, out.code);
    out.pose = recon_var_columns(t, x, e->code + e->density.fields.of[0], 2);
    out.density = density_of(t, e, x);
    return out;
}
