/* waves_row.c - rows of features, sixteen channels of four pixels at a time. See waves.h. */
#include "ops/cpu/waves.h"
#include "core/simd.h"

#include <string.h>

#define LANES  16
#define PIXELS 4

#define INLINE static inline __attribute__((always_inline)) /* into each of the clones */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));
typedef struct {
    lanes at[PIXELS];
} block;

/* Scratch: the folded rows, the folded block, the waves' block. */
typedef struct {
    size_t cols; /* of a folded row, with room for a whole last block */
    lanes *row;  /* [size][cols] */
    block *fold; /* [size * size] */
    block *wave;
} desk;

static size_t columns_of(const recon_steer_sizes *s)
{
    return (s->q + PIXELS - 1) / PIXELS * PIXELS + s->size - 1;
}

size_t recon_waves_scratch(const recon_waves *w)
{
    size_t waves = 0, size = w->s.size;
    for (size_t i = 0; i < w->groups; i++)
        waves = w->group[i].waves.count > waves ? w->group[i].waves.count : waves;
    return (size * columns_of(&w->s) + (size * size + waves) * PIXELS) * LANES;
}

static desk desk_of(const recon_waves *w, float *scratch)
{
    size_t size = w->s.size, cols = columns_of(&w->s);
    lanes *row = (lanes *)scratch;
    block *fold = (block *)(row + size * cols);
    return (desk){ cols, row, fold, fold + size * size };
}

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

INLINE void clear_margins(lanes *row, size_t begin, size_t end, size_t cols)
{
    for (size_t j = 0; j < least(begin, cols); j++)
        row[j] = (lanes){ 0 };
    for (size_t j = end; j < cols; j++)
        row[j] = (lanes){ 0 };
}

/* The first width of sixteen floats; the pieces have fixed sizes, and the branches one outcome. */
INLINE void copy(float *to, const float *from, size_t width)
{
    for (size_t piece = LANES; piece > 0; piece /= 2)
        if (width & piece) {
            memcpy(to, from, piece * sizeof *to);
            to += piece;
            from += piece;
        }
}

INLINE void load(lanes *to, const float *from, size_t width)
{
    if (width < LANES)
        *to = (lanes){ 0 };
    copy((float *)to, from, width);
}

/* A row of an image, or zeros for ever. */
typedef struct {
    const float *at;
    size_t step;
} source;

INLINE source row_at(const recon_steer_sizes *s, const float *x, size_t row, size_t channel)
{
    static const float zeros[LANES];
    return row < s->h ? (source){ x + row * s->w * s->c + channel, s->c } : (source){ zeros, 0 };
}

/* Rows opposite the middle, added and subtracted. Where both go to one place the sum stays. */
INLINE void fold_row(const desk *k, const recon_steer_sizes *s, source far, source near, lanes *sum,
                     lanes *difference, size_t width)
{
    size_t end = least(s->pad + s->w, k->cols);
    clear_margins(sum, s->pad, end, k->cols);
    clear_margins(difference, s->pad, end, k->cols);
    for (size_t j = s->pad; j < end; j++, far.at += far.step, near.at += near.step) {
        lanes a, b;
        load(&a, far.at, width);
        load(&b, near.at, width);
        difference[j] = a - b;
        sum[j] = a + b;
    }
}

INLINE void fold_rows(const desk *k, const recon_steer_sizes *s, const float *x, size_t row,
                      size_t channel, size_t width)
{
    size_t half = s->size / 2, middle = row + half - s->pad; /* outside: huge */
    source none = row_at(s, x, s->h, channel);
    fold_row(k, s, row_at(s, x, middle, channel), none, k->row, k->row, width);
    for (size_t d = 1; d <= half; d++)
        fold_row(k, s, row_at(s, x, middle + d, channel), row_at(s, x, middle - d, channel),
                 k->row + d * k->cols, k->row + (half + d) * k->cols, width);
}

/* Columns opposite the middle of each of four pixels. */
INLINE void fold_columns(const desk *k, size_t size, size_t col)
{
    size_t half = size / 2;
    for (size_t i = 0; i < size; i++) {
        const lanes *at = k->row + i * k->cols + col + half;
        block *fold = k->fold + i * size;
        for (size_t t = 0; t < PIXELS; t++)
            fold[0].at[t] = at[t];
        for (size_t d = 1; d <= half; d++)
            for (size_t t = 0; t < PIXELS; t++) {
                lanes far = at[t + d], near = *(at + t - d);
                fold[d].at[t] = far + near;
                fold[half + d].at[t] = far - near;
            }
    }
}

INLINE void add_terms(block *to, const block *from, const recon_wave_sums *sums)
{
    for (size_t i = 0; i < sums->count; i++) {
        block sum = { { { 0 } } };
        for (uint32_t k = sums->begin[i]; k < sums->begin[i + 1]; k++) {
            const recon_wave_term *term = &sums->term[k];
            for (size_t t = 0; t < PIXELS; t++)
                sum.at[t] += term->factor * from[term->from].at[t];
        }
        to[i] = sum;
    }
}

/* Numbers of a pair change places; and the signs that go with (A + i B) u, (A + i B) conj(u). */
#define SWAP(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#define PAIRS(a, b)                                                                                \
    {                                                                                              \
        a, b, a, b, a, b, a, b, a, b, a, b, a, b, a, b                                             \
    }
static const lanes sign_a[2] = { PAIRS(1, 1), PAIRS(1, -1) };
static const lanes sign_b[2] = { PAIRS(-1, 1), PAIRS(1, 1) };

INLINE float *plane_at(const recon_wave_plane *p, const recon_wave_tile *tile, size_t pixel)
{
    return tile->feature + tile->pixels * p->before + pixel * p->pitch + p->at;
}

INLINE void write_planes(const desk *k, const recon_wave_group *g, const recon_wave_tile *tile,
                         size_t pixel, size_t pixels, size_t channel, size_t width)
{
    for (const recon_wave_plane *p = g->plane; p < g->plane + g->planes; p++) {
        float *to = plane_at(p, tile, pixel) + channel;
        const lanes *a = k->wave[p->a].at, *b = p->b < 0 ? a : k->wave[p->b].at;
        if (p->b < 0)
            for (size_t t = 0; t < pixels; t++)
                copy(to + t * p->pitch, (const float *)&a[t], width);
        else
            for (size_t t = 0; t < pixels; t++) {
                lanes f = sign_a[p->conjugate] * a[t] + sign_b[p->conjugate] * SWAP(b[t]);
                copy(to + t * p->pitch, (const float *)&f, width);
            }
    }
}

INLINE void read_planes(const desk *k, const recon_wave_group *g, const recon_wave_tile *tile,
                        size_t pixel, size_t pixels, size_t channel, size_t width)
{
    memset(k->wave, 0, g->waves.count * sizeof *k->wave);
    for (const recon_wave_plane *p = g->plane; p < g->plane + g->planes; p++) {
        const float *from = plane_at(p, tile, pixel) + channel;
        lanes *a = k->wave[p->a].at, *b = p->b < 0 ? a : k->wave[p->b].at;
        for (size_t t = 0; t < pixels; t++) {
            lanes f;
            load(&f, from + t * p->pitch, width);
            if (p->b < 0) {
                a[t] += f;
                continue;
            }
            lanes rotated = sign_b[p->conjugate] * f;
            a[t] += sign_a[p->conjugate] * f;
            b[t] += SWAP(rotated);
        }
    }
}

INLINE void unfold_columns(const desk *k, size_t size, size_t col)
{
    size_t half = size / 2;
    for (size_t i = 0; i < size; i++) {
        lanes *at = k->row + i * k->cols + col + half;
        const block *fold = k->fold + i * size;
        for (size_t t = 0; t < PIXELS; t++)
            at[t] += fold[0].at[t];
        for (size_t d = 1; d <= half; d++)
            for (size_t t = 0; t < PIXELS; t++) {
                at[t + d] += fold[d].at[t] + fold[half + d].at[t];
                *(at + t - d) += fold[d].at[t] - fold[half + d].at[t];
            }
    }
}

/* sum + sign difference, if there is one, to a row of dx, if there is one. */
INLINE void add_row(const recon_steer_sizes *s, float *dx, size_t row, size_t channel, size_t width,
                    const lanes *sum, const lanes *difference, float sign, size_t cols)
{
    if (row >= s->h)
        return;
    float *to = dx + row * s->w * s->c + channel;
    for (size_t j = s->pad; j < least(s->pad + s->w, cols); j++, to += s->c) {
        lanes old;
        load(&old, to, width);
        old += sum[j];
        if (difference)
            old += sign * difference[j];
        copy(to, (const float *)&old, width);
    }
}

INLINE void unfold_rows(const desk *k, const recon_steer_sizes *s, float *dx, size_t row,
                        size_t channel, size_t width)
{
    size_t half = s->size / 2, middle = row + half - s->pad;
    add_row(s, dx, middle, channel, width, k->row, NULL, 0, k->cols);
    for (size_t d = 1; d <= half; d++) {
        const lanes *sum = k->row + d * k->cols, *difference = k->row + (half + d) * k->cols;
        add_row(s, dx, middle + d, channel, width, sum, difference, 1, k->cols);
        add_row(s, dx, middle - d, channel, width, sum, difference, -1, k->cols);
    }
}

INLINE void chunk_row(const desk *k, const recon_waves *w, const recon_wave_group *g,
                      const recon_wave_tile *tile, size_t pixel, const float *x, size_t row,
                      size_t channel, size_t width)
{
    fold_rows(k, &w->s, x, row, g->from + channel, width);
    for (size_t q = 0; q < w->s.q; q += PIXELS) {
        fold_columns(k, w->s.size, q);
        add_terms(k->wave, k->fold, &g->waves);
        write_planes(k, g, tile, pixel + q, least(PIXELS, w->s.q - q), channel, width);
    }
}

INLINE void chunk_row_back(const desk *k, const recon_waves *w, const recon_wave_group *g,
                           const recon_wave_tile *tile, size_t pixel, float *dx, size_t row,
                           size_t channel, size_t width)
{
    memset(k->row, 0, w->s.size * k->cols * sizeof *k->row);
    for (size_t q = 0; q < w->s.q; q += PIXELS) {
        read_planes(k, g, tile, pixel + q, least(PIXELS, w->s.q - q), channel, width);
        add_terms(k->fold, k->wave, &g->folds);
        unfold_columns(k, w->s.size, q);
    }
    unfold_rows(k, &w->s, dx, row, g->from + channel, width);
}

/* Whole chunks are compiled apart from the last, where the width is not known. */
RECON_CLONES static void group_row(const recon_waves *w, const recon_wave_group *g,
                                   const recon_wave_tile *tile, size_t pixel, const float *x,
                                   size_t row, float *scratch)
{
    desk k = desk_of(w, scratch);
    size_t c = 0;
    for (; c + LANES <= g->channels; c += LANES)
        chunk_row(&k, w, g, tile, pixel, x, row, c, LANES);
    if (c < g->channels)
        chunk_row(&k, w, g, tile, pixel, x, row, c, g->channels - c);
}

void recon_waves_row(const recon_waves *w, const recon_wave_tile *tile, size_t pixel,
                     const float *x, size_t row, float *scratch)
{
    for (size_t i = 0; i < w->groups; i++)
        group_row(w, &w->group[i], tile, pixel, x, row, scratch);
}

RECON_CLONES static void group_row_back(const recon_waves *w, const recon_wave_group *g,
                                        const recon_wave_tile *tile, size_t pixel, float *dx,
                                        size_t row, float *scratch)
{
    desk k = desk_of(w, scratch);
    size_t c = 0;
    for (; c + LANES <= g->channels; c += LANES)
        chunk_row_back(&k, w, g, tile, pixel, dx, row, c, LANES);
    if (c < g->channels)
        chunk_row_back(&k, w, g, tile, pixel, dx, row, c, g->channels - c);
}

void recon_waves_row_back(const recon_waves *w, const recon_wave_tile *tile, size_t pixel,
                          float *dx, size_t row, float *scratch)
{
    for (size_t i = 0; i < w->groups; i++)
        group_row_back(w, &w->group[i], tile, pixel, dx, row, scratch);
}
