/* simulate.c - makes embeddings and poses whose truth is known, as a backbone would give them.
 *
 *   simulate GROUP DIR [POINTS [CLASSES [DIMENSIONS]]]
 *
 * Writes DIR/z.npy, g.npy, y.npy (labels) and offset.npy (the arbitrary canonical pose of each
 * class, which nobody is told). Poses: g = mu_c * offset_c. On SO(2), mu is uniform on +-60 degrees
 * for the first half of the classes and on +-90 for the second, as the paper rotates digits. On SO(3)
 * it is matrix Fisher, in turn F = diag(100, 100, 100), a tight cloud, and diag(100, 0, 0), a ring:
 * only an axis is held. On other groups mu is normal in the logarithm, or the identity. Class c has a random centre in the space of z. */
#include <recon/recon.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE 0.017453292519943295

static recon_status save(recon_ctx *ctx, const char *dir, const char *name, recon_array array)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return recon_npy_write(ctx, path, &array);
}

static void embed(float *z, int32_t *y, size_t n, size_t classes, size_t d)
{
    for (size_t i = 0; i < n; i++) {
        recon_rng noise = recon_rng_new(1, i), centre = recon_rng_new(2, i % classes);
        y[i] = (int32_t)(i % classes);
        for (size_t c = 0; c < d; c++)
            z[i * d + c] = (float)(recon_rng_normal(&centre) + 0.3 * recon_rng_normal(&noise));
    }
}

static void rotate_so2(float *g, double *offset, size_t n, size_t classes)
{
    for (size_t c = 0; c < classes; c++) {
        recon_rng r = recon_rng_new(3, c);
        offset[c] = recon_so2_haar(&r);
    }
    for (size_t i = 0; i < n; i++) {
        recon_rng r = recon_rng_new(4, i);
        double half = (i % classes < classes / 2 ? 60 : 90) * DEGREE;
        double mu = half * (2 * recon_rng_uniform(&r) - 1);
        g[i] = (float)recon_so2_compose(mu, offset[i % classes]);
    }
}

static recon_status rotate_so3(recon_ctx *ctx, float *g, double *offset, size_t n, size_t classes)
{
    const double cloud[9] = { 100, 0, 0, 0, 100, 0, 0, 0, 100 }, ring[9] = { 100 };
    recon_fisher fisher[2];
    recon_status status = recon_fisher_of(ctx, &fisher[0], cloud);
    if (status == RECON_OK)
        status = recon_fisher_of(ctx, &fisher[1], ring);
    for (size_t i = 0; status == RECON_OK && i < n; i++) {
        size_t c = i % classes;
        recon_rng r = recon_rng_new(4, i), own = recon_rng_new(3, c);
        recon_so3 mu, gamma = recon_so3_haar(&own);
        double m[9];
        recon_fisher_sample(&mu, &fisher[c % 2], 1, &r);
        recon_so3_to_matrix(m, recon_so3_compose(mu, gamma));
        for (size_t e = 0; e < 9; e++)
            g[i * 9 + e] = (float)m[e];
        recon_so3_to_matrix(offset + c * 9, gamma);
    }
    return status;
}

/* As files hold them: `width` numbers a pose. */
static void draw_any(const recon_group *group, float *g, double *offset, size_t n, size_t classes,
                     size_t width)
{
    double pose[RECON_NUMBERS_MAX], rows[RECON_NUMBERS_MAX], v[RECON_NUMBERS_MAX];
    for (size_t i = 0; i < n + classes; i++) {
        recon_rng r = recon_rng_new(4, i), own = recon_rng_new(3, i % classes);
        group->haar(group, pose, &own);
        for (size_t c = 0; c < group->dimension; c++)
            v[c] = 0.1 * recon_rng_normal(&r);
        if (i < n && group->exp) {
            group->exp(group, v, memcpy(rows, v, sizeof v));
            group->compose(group, pose, v, pose);
        }
        if (group->write)
            group->write(group, rows, pose, 1);
        for (size_t c = 0; c < width; c++)
            if (i < n)
                g[i * width + c] = (float)(group->write ? rows : pose)[c];
            else
                offset[(i - n) * width + c] = (group->write ? rows : pose)[c];
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: simulate GROUP DIR [POINTS [CLASSES [DIMENSIONS]]]\n"), 2;
    int so3 = !strcmp(argv[1], "so3"), so2 = !strcmp(argv[1], "so2"), ndim = 1;
    const recon_group *group;
    recon_ctx *ctx = recon_ctx_new(NULL);
    if (!ctx || recon_group_find(ctx, &group, argv[1]) != RECON_OK)
        return fprintf(stderr, "simulate: %s\n", ctx ? recon_ctx_message(ctx) : "no memory"), 2;
    size_t n = argc > 3 ? strtoul(argv[3], NULL, 10) : 2000;
    size_t classes = argc > 4 ? strtoul(argv[4], NULL, 10) : 10;
    size_t d = argc > 5 ? strtoul(argv[5], NULL, 10) : 16, width = 1;
    for (; ndim < 3 && group->shape[ndim - 1]; ndim++)
        width *= group->shape[ndim - 1];
    float *z = calloc(n * d + 1, sizeof *z), *g = calloc(n * width + 1, sizeof *g);
    double *offset = calloc(classes * width + 1, sizeof *offset);
    int32_t *y = calloc(n + 1, sizeof *y);
    if (!z || !g || !offset || !y || !classes)
        return fprintf(stderr, "simulate: at least one class, and memory for all\n"), 1;

    recon_status s = RECON_OK;
    embed(z, y, n, classes, d);
    if (so3)
        s = rotate_so3(ctx, g, offset, n, classes);
    else if (so2)
        rotate_so2(g, offset, n, classes);
    else
        draw_any(group, g, offset, n, classes, width);

    const size_t *side = group->shape;
    const struct {
        const char *name;
        recon_array array;
    } file[] = {
        { "z.npy", { .dtype = RECON_F32, .ndim = 2, .shape = { n, d }, .data = z } },
        { "g.npy",
          { .dtype = RECON_F32, .ndim = ndim, .shape = { n, side[0], side[1] }, .data = g } },
        { "y.npy", { .dtype = RECON_I32, .ndim = 1, .shape = { n }, .data = y } },
        { "offset.npy",
          { .dtype = RECON_F64,
            .ndim = ndim,
            .shape = { classes, side[0], side[1] },
            .data = offset } },
    };
    for (size_t i = 0; s == RECON_OK && i < sizeof file / sizeof *file; i++)
        s = save(ctx, argv[2], file[i].name, file[i].array);
    if (s != RECON_OK)
        fprintf(stderr, "simulate: %s\n", recon_ctx_message(ctx));
    recon_ctx_free(ctx);
    free(z);
    free(g);
    free(offset);
    free(y);
    return s != RECON_OK;
}
