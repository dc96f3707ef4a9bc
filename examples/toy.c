/* toy.c - a domain of one's own, complete in one file: outlines of six points in the plane.
 *
 *   cc toy.c $(pkg-config --cflags --libs recon) -lm && ./a.out
 *
 * A recon_data_kind says how inputs are read, a recon_backbone_kind what they are (z) and how they
 * are rotated (psi). This backbone has no weights. With the centred points of an outline as complex
 * numbers w, the moment c(p, q) = sum w^p conj(w)^q is multiplied by exp(i (p - q) t) when the
 * outline rotates by t: the sizes of moments are invariant, and the angle of c(2, 1) follows the
 * rotation. All else is the library's: discover, open, canonicalize, score, report. */
#include <recon/recon.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 6, CODE = 6, N = 600, KINDS = 3, SOME = 300 };

typedef struct {
    double complex w[POINTS];
} outline;

/* --- the data --------------------------------------------------------------------------------- */

typedef struct {
    recon_data base; /* first, so that a pointer to the one is a pointer to the other */
    outline shape[N];
} outlines;

static recon_data_info describe(const recon_data *data)
{
    (void)data;
    return (recon_data_info){ .n = N, .bytes = sizeof(outline) };
}

static void close_outlines(recon_data *data)
{
    (void)data; /* was not allocated */
}

static void read_outlines(void *inputs, const recon_data *data, size_t first, size_t n)
{
    memcpy(inputs, ((const outlines *)data)->shape + first, n * sizeof(outline));
}

static const recon_data_kind outlines_kind = { .name = "outlines",
                                               .one = "outline",
                                               .many = "outlines",
                                               .describe = describe,
                                               .close = close_outlines,
                                               .read = read_outlines };

/* --- the backbone ----------------------------------------------------------------------------- */

static double complex moment(const outline *o, int p, int q)
{
    double complex center = 0, sum = 0;
    for (int k = 0; k < POINTS; k++)
        center += o->w[k] / POINTS;
    for (int k = 0; k < POINTS; k++)
        sum += cpow(o->w[k] - center, p) * cpow(conj(o->w[k] - center), q) / POINTS;
    return sum;
}

static recon_status embed(recon_ctx *ctx, const recon_seen *out, const recon_backbone *backbone,
                          const void *inputs, size_t n)
{
    (void)backbone;
    for (size_t i = 0; i < n; i++) {
        const outline *o = (const outline *)inputs + i;
        double complex c20 = moment(o, 2, 0), c21 = moment(o, 2, 1);
        if (!(cabs(c21) > 1e-6))
            return recon_fail(ctx, RECON_ERR_INPUT, "outline %zu: symmetric, or not finite", i);
        double complex hand = c20 * conj(c21) * conj(c21); /* differs between mirror images */
        const double z[CODE] = { creal(moment(o, 1, 1)), cabs(c20),   cabs(c21),
                                 cabs(moment(o, 3, 0)),  creal(hand), cimag(hand) };
        for (int k = 0; out->z && k < CODE; k++)
            out->z[i * CODE + (size_t)k] = (float)z[k];
        if (out->psi)
            out->psi[i] = carg(c21);
    }
    return RECON_OK;
}

static recon_status rotate(recon_ctx *ctx, void *out, const recon_backbone *backbone,
                           const void *inputs, const double *g, size_t n,
                           recon_interpolation interpolation)
{
    (void)ctx, (void)backbone, (void)interpolation;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < POINTS; k++)
            ((outline *)out)[i].w[k] = ((const outline *)inputs)[i].w[k] * cexp(I * g[i]);
    return RECON_OK;
}

static const recon_backbone_kind toy_kind;

static recon_status open_toy(recon_ctx *ctx, recon_backbone **out, const recon_safetensors *file,
                             const char *path, recon_precision precision)
{
    (void)file, (void)precision; /* weights would be read from the file */
    *out = calloc(1, sizeof **out);
    if (!*out)
        return recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", path);
    **out = (recon_backbone){ .kind = &toy_kind, .code = CODE };
    return RECON_OK;
}

static void close_toy(recon_ctx *ctx, recon_backbone *backbone)
{
    (void)ctx;
    free(backbone);
}

static const recon_backbone_kind toy_kind = { .name = "toy",
                                              .data = "outlines",
                                              .group = RECON_SO2,
                                              .k = 10,
                                              .pool = 50,
                                              .open = open_toy,
                                              .close = close_toy,
                                              .embed = embed,
                                              .rotate = rotate };

/* --- the flow --------------------------------------------------------------------------------- */

/* A flag, a boat or a chair, shaken a little and rotated. */
static outline draw(size_t kind, double angle, recon_rng *rng)
{
    const double complex shape[KINDS][POINTS] = { { 0, I, 2 * I, 3 * I, 2 + 3 * I, 2 + 2 * I },
                                                  { -2, 2, 3 + I, I, 3 * I, 1 + 2 * I },
                                                  { 4 * I, 0, 1, 2, 3, 3 + I } };
    outline o;
    for (int k = 0; k < POINTS; k++)
        o.w[k] = (shape[kind][k] + 0.03 * (recon_rng_normal(rng) + I * recon_rng_normal(rng))) *
                 cexp(I * angle);
    return o;
}

/* Canonical forms of rotated copies agree, and poses that do not occur have small p-values. */
static recon_status use(recon_ctx *ctx, const recon_model *model, const outlines *data, int *wrong)
{
    static outline copy[SOME], form[2][SOME];
    static recon_pose_score p[2][SOME];
    double g[SOME], apart = 0, low[2] = { 0 };
    recon_status status;
    for (int i = 0; i < SOME; i++)
        g[i] = 3 - 0.1 * (i % 7);
    rotate(ctx, copy, NULL, data->shape, g, SOME, RECON_BILINEAR);
    if ((status = recon_canonicalize(ctx, form[0], NULL, model, data->shape, SOME, NULL)) ||
        (status = recon_canonicalize(ctx, form[1], NULL, model, copy, SOME, NULL)) ||
        (status = recon_score(ctx, p[0], model, data->shape, SOME)) ||
        (status = recon_score(ctx, p[1], model, copy, SOME)))
        return status;
    for (int i = 0; i < SOME; i++) {
        for (int k = 0; k < POINTS; k++)
            apart = fmax(apart, cabs(form[0][i].w[k] - form[1][i].w[k]));
        low[0] += p[0][i].p_value < 0.05;
        low[1] += p[1][i].p_value < 0.05;
    }
    printf("canonical forms of rotated copies are %.0e apart\n", apart);
    printf("p < 0.05: %.0f %% as they came, %.0f %% upside down\n", 100 * low[0] / SOME,
           100 * low[1] / SOME);
    *wrong = apart > 1e-6 || low[0] > 0.15 * SOME || low[1] < 0.95 * SOME;
    return RECON_OK;
}

int main(void)
{
    const recon_metadata_entry says = { "model", "toy" };
    const recon_discover_options options = { .maps = { .hidden = 64, .batch = 32, .rate = 4e-3 } };
    static outlines data = { .base = { &outlines_kind } };
    recon_discovery found = { .summary = NULL };
    recon_model *model = NULL;
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_rng rng = recon_rng_new(1, 0);
    recon_status status = RECON_ERR_MEMORY;
    int wrong = 1;
    for (size_t i = 0; i < N; i++) /* 0.17 radians are 10 degrees */
        data.shape[i] = draw(i % KINDS, 0.17 * recon_rng_normal(&rng), &rng);
    if (!ctx || (status = recon_backbone_add(ctx, &toy_kind)) ||
        (status = recon_safetensors_write(ctx, "toy.safetensors", NULL, 0, &says, 1)) ||
        (status =
             recon_discover(ctx, &found, "toy.safetensors", NULL, &data.base, "toy", &options)) ||
        (status = recon_model_open(ctx, &model, "toy/model.safetensors", RECON_SINGLE)) ||
        (status = use(ctx, model, &data, &wrong)) ||
        (status = recon_found_save(ctx, "toy/report.html", "toy",
                                   &(recon_found_data){ .data = &data.base })))
        fprintf(stderr, "toy: %s\n", ctx ? recon_ctx_message(ctx) : "no context");
    else
        printf("%zu %s vary by %.0f degrees; see toy/report.html\n", found.points, found.kind,
               found.theta_median * 57.3);
    recon_model_close(ctx, model);
    recon_discovery_free(&found);
    recon_ctx_free(ctx);
    return status || wrong;
}
