/* waves.c - which sums of pixels make up the planes. See waves.h. */
#include "ops/cpu/waves.h"
#include "core/fail.h"

#include <math.h>

/* Folds of a line of taps: 0 .. half are sums of the two taps so far from the middle, half + 1 ..
 * their differences. */
static double folded_weight(const float *wave, size_t size, size_t fold)
{
    size_t half = size / 2, down = fold / size, across = fold % size;
    size_t dv = down > half ? down - half : down, dh = across > half ? across - half : across;
    double sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        size_t i = corner & 1 ? half - dv : half + dv, j = corner & 2 ? half - dh : half + dh;
        int minus = (corner & 1 && down > half) != (corner & 2 && across > half);
        sum += minus ? -wave[i * size + j] : wave[i * size + j];
    }
    return sum / 4;
}

/* Rounding leaves traces where a wave is odd and its weights are 0. */
static void fold_wave(double *weight, const float *wave, size_t size)
{
    double most = 0;
    for (size_t i = 0; i < size * size; i++) {
        weight[i] = folded_weight(wave, size, i);
        most = fmax(most, fabs(weight[i]));
    }
    for (size_t i = 0; i < size * size; i++)
        if (fabs(weight[i]) < 1e-7 * most)
            weight[i] = 0;
}

/* Sums of what is not 0 in weight [waves][folds], along it (to waves) or across it (to folds). */
static recon_status list_terms(recon_ctx *ctx, recon_arena *arena, recon_wave_sums *out,
                               const double *weight, size_t waves, size_t folds, int across)
{
    size_t rows = across ? folds : waves, cols = across ? waves : folds;
    uint32_t n = 0;
    out->count = rows;
    RECON_CHECK(recon_arena_take(ctx, arena, &out->begin, rows + 1, sizeof *out->begin));
    RECON_CHECK(recon_arena_take(ctx, arena, &out->term, rows * cols + 1, sizeof *out->term));
    for (size_t i = 0; i < rows; i++) {
        out->begin[i] = n;
        for (size_t j = 0; j < cols; j++) {
            double w = across ? weight[j * folds + i] : weight[i * folds + j];
            if (w != 0)
                out->term[n++] = (recon_wave_term){ (uint16_t)j, (float)w };
        }
    }
    out->begin[rows] = n;
    return RECON_OK;
}

/* The number of wave `which` among those of the group, which it joins. */
static int join(int *member, size_t *count, int which)
{
    size_t i = 0;
    while (i < *count && member[i] != which)
        i++;
    if (i == *count)
        member[(*count)++] = which;
    return (int)i;
}

static int is_of(const recon_wave_group *g, const recon_steer_plane *plane)
{
    return plane->from == g->from && plane->channels == g->channels;
}

/* The group's planes, and which waves they are made of. Returns how many waves. */
static size_t gather_planes(recon_wave_group *g, const recon_steer_args *args, int *member)
{
    const recon_steer_plane *plane = args->plane;
    size_t waves = 0, before = 0;
    for (size_t i = 0; i < args->products; i++) {
        size_t planes = args->product[i].planes, at = 0, depth = recon_steer_depth(plane, planes);
        for (const recon_steer_plane *end = plane + planes; plane < end; plane++) {
            if (is_of(g, plane))
                g->plane[g->planes++] =
                    (recon_wave_plane){ .before = before,
                                        .at = at,
                                        .pitch = depth,
                                        .a = join(member, &waves, plane->a),
                                        .b = plane->b < 0 ? -1 : join(member, &waves, plane->b),
                                        .conjugate = plane->conjugate };
            at += plane->channels;
        }
        before += depth;
    }
    return waves;
}

static int is_grouped(const recon_waves *w, const recon_steer_plane *plane)
{
    for (size_t i = 0; i < w->groups; i++)
        if (is_of(&w->group[i], plane))
            return 1;
    return 0;
}

recon_status recon_waves_open(recon_ctx *ctx, recon_waves *out, recon_arena *arena,
                              const recon_steer_args *args, const float *wave)
{
    size_t planes = 0;
    for (size_t i = 0; i < args->products; i++)
        planes += args->product[i].planes;
    *out = (recon_waves){ .s = recon_steer_sizes_of(args),
                          .features = recon_steer_depth(args->plane, planes) };
    RECON_CHECK(recon_arena_take(ctx, arena, &out->group, planes + 1, sizeof *out->group));
    for (const recon_steer_plane *p = args->plane; p < args->plane + planes; p++) {
        if (is_grouped(out, p))
            continue;
        recon_wave_group *g = &out->group[out->groups++];
        *g = (recon_wave_group){ .from = p->from, .channels = p->channels };
        size_t size = args->wave.shape[1], taps = size * size;
        int *member;
        double *weight;
        RECON_CHECK(recon_arena_take(ctx, arena, &g->plane, planes, sizeof *g->plane));
        RECON_CHECK(recon_arena_take(ctx, arena, &member, 2 * planes, sizeof *member));
        size_t waves = gather_planes(g, args, member);
        RECON_CHECK(recon_arena_take(ctx, arena, &weight, waves * taps, sizeof *weight));
        for (size_t i = 0; i < waves; i++)
            fold_wave(weight + i * taps, wave + (size_t)member[i] * taps, size);
        RECON_CHECK(list_terms(ctx, arena, &g->waves, weight, waves, taps, 0));
        RECON_CHECK(list_terms(ctx, arena, &g->folds, weight, waves, taps, 1));
    }
    return RECON_OK;
}
