/* soak.h - a model in use for a long time: memory stays flat.
 *
 * Blocks that are alive are counted as failing.h does; what other libraries hold shows in the pages
 * that the process has in memory. */
#ifndef TESTS_TRUST_SOAK_H
#define TESTS_TRUST_SOAK_H

#include "failing.h"

#include <recon/model/canonicalize.h>
#include <recon/model/score.h>
#include "core/ctx.h"

enum {
    SOAK_IMAGES = 600, /* different ones: windows of them are the batches */
    SOAK_BATCH = 256,
    SOAK_SLACK = 4 << 20, /* bytes by which the process may have grown, whatever the number */
};

/* Bytes of this process in memory. */
static inline long resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Noise: that no two batches are alike matters, what they show does not. */
static inline float *soak_images(size_t pixels)
{
    recon_rng rng = recon_rng_new(8, 0);
    float *x = malloc(SOAK_IMAGES * pixels * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < SOAK_IMAGES * pixels; i++)
        x[i] = (float)recon_rng_uniform(&rng);
    return x;
}

typedef struct {
    const recon_model *model;
    size_t pixels;
    float *x, *canonical;
    recon_pose_score odd[SOAK_BATCH];
} soak;

/* Batches of several sizes, mostly large. Now and then somebody comes with a context of his
 * own, asks and goes. */
static inline size_t soak_batch(recon_ctx *ctx, soak *s, size_t turn)
{
    static const size_t sizes[] = { SOAK_BATCH, 1, SOAK_BATCH, SOAK_BATCH, 77, SOAK_BATCH, 30 };
    size_t n = sizes[turn % (sizeof sizes / sizeof *sizes)];
    const float *x = s->x + turn * 37 % (SOAK_IMAGES - n) * s->pixels;
    recon_ctx *guest = turn % 50 == 7 ? recon_ctx_new(NULL) : NULL;
    recon_ctx *who = guest ? guest : ctx;
    CHECK_OK(who, recon_canonicalize_images(who, s->canonical, NULL, s->model, x, n, NULL));
    if (turn % 10 == 0)
        CHECK_OK(who, recon_score_images(who, s->odd, s->model, x, n));
    recon_ctx_free(guest);
    return n;
}

static inline size_t soak_some(recon_ctx *ctx, soak *s, size_t images, size_t *turn)
{
    size_t done = 0;
    while (done < images)
        done += soak_batch(ctx, s, (*turn)++);
    return done;
}

static inline void soak_model(recon_ctx *ctx, const recon_model *model, size_t images)
{
    const recon_ieae_shape shape = recon_model_describe(model).images;
    static soak s;
    size_t turn = 0;
    s = (soak){ .model = model, .pixels = shape.height * shape.width_px * shape.channels };
    s.x = soak_images(s.pixels);
    s.canonical = malloc(SOAK_BATCH * s.pixels * sizeof *s.canonical);
    assert_non_null(s.canonical);
    double begun = recon_now();
    /* On a busy machine a thread may come to its first work, and its memory, late. */
    size_t done = soak_some(ctx, &s, images / 2, &turn);
    long blocks = atomic_load(&live), bytes = resident();
    done += soak_some(ctx, &s, images - done, &turn);
    double seconds = recon_now() - begun;
    assert_int_equal(atomic_load(&live), blocks);
    long grown = resident() - bytes;
    print_message(
        "# counted: soak: %zu images canonicalized in %.0f s: %ld blocks alive before and "
        "after, %ld KiB more in memory\n",
        done, seconds, blocks, grown / 1024);
#if !defined(__SANITIZE_ADDRESS__) /* which keeps what was freed, to catch whoever comes back */
    assert_true(grown < SOAK_SLACK);
#endif
    free(s.x);
    free(s.canonical);
}

#endif
