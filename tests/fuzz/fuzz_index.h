/* fuzz_index.h - what opens is asked, and points are added; whatever comes of it stays in memory. */
#ifndef TESTS_FUZZ_INDEX_H
#define TESTS_FUZZ_INDEX_H

#include "fuzz_models.h"

/* Whatever the file says, indices are those of points, and verdicts are verdicts. */
static inline void fuzz_ask_index(const recon_index *x, const recon_group *group)
{
    static const float z[] = { 1, 0.1f, 0, -1, 2, 0.5f };
    static const double poses[] = { 1, 0, 0, 0, 0.6, 0, 0.8, 0 };
    static const int64_t class_of[] = { 0, 7 };
    size_t n = recon_index_points(x)->n;
    recon_embedded q = { .n = 2, .d = 3, .z = z, .group = group, .poses = poses };
    int given = recon_index_options(x)->classes == RECON_CLASSES_GIVEN;
    recon_frames f;
    recon_index *more;
    recon_status status = recon_index_query(fuzz_ctx(), &f, x, &q);
    FUZZ_CHECK(status == RECON_OK || status == RECON_ERR_FORMAT || status == RECON_ERR_INPUT ||
               status == RECON_ERR_NUMERIC);
    for (size_t i = 0; status == RECON_OK && i < f.rows * f.k; i++)
        FUZZ_CHECK(f.neighbors[i] >= 0 && (size_t)f.neighbors[i] < n);
    for (size_t i = 0; status == RECON_OK && i < f.rows; i++)
        FUZZ_CHECK(f.verdict[i] >= -1 && f.verdict[i] < RECON_NATURAL_KINDS);
    recon_frames_free(&f);
    status = recon_index_add(fuzz_ctx(), &more, x, &q, given ? class_of : NULL);
    FUZZ_CHECK(status == RECON_OK || status == RECON_ERR_FORMAT || status == RECON_ERR_INPUT ||
               status == RECON_ERR_NUMERIC);
    recon_index_free(more);
}

static inline void fuzz_whole_index(small_writer *write, const recon_group *group,
                                    const uint8_t *bytes, size_t size)
{
    recon_index *x;
    const char *path = fuzz_lie(write, bytes, size);
    if (fuzz_opened(recon_index_open(fuzz_ctx(), &x, path), path))
        fuzz_ask_index(x, group);
    recon_index_free(x);
}

#endif
