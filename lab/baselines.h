/* baselines.h - other ways to a classifier that stands rotated inputs, each measured on the inputs of
 * the tables: `recon reproduce --baselines`. docs/rivals.md says what each is. */
#ifndef LAB_BASELINES_H
#define LAB_BASELINES_H

#include "lab/reproduce_molecules.h"

typedef struct {
    const char *key, *label;
    const char
        *retraining; /* "none"; "canonicalizer", before the frozen classifier; "classifier" */
    int labels;      /* it needs labels beside those of the frozen classifier */
    double passes;   /* of a network, an input; the frozen classifier's too   */
} baseline_kind;
extern const baseline_kind baseline_kinds[BASELINES];

/* How a network was trained, as its file says. */
recon_status baseline_read_training(recon_ctx *ctx, baseline *out, const char *path);
/* One that has no figure, and why. */
void baseline_refuse(baseline *out, const char *fmt, ...) RECON_PRINTF(2, 3);

/* All that need no model of ours, on the trial's rotated images. `knn` is left out: it needs codes. */
recon_status baselines_measure_images(recon_ctx *ctx, baseline out[BASELINES],
                                      const image_trial *trial);
/* All of them on the test conformers. */
recon_status baselines_measure_molecules(recon_ctx *ctx, baseline out[BASELINES],
                                         const molecule_reproduction *r);
/* The labels of neighbours in z: the one that most of the k have, of several the one that comes first.
 * neighbors [n][k] are rows of among. */
recon_status baseline_by_neighbours(recon_ctx *ctx, double *share, const int64_t *neighbors,
                                    size_t n, size_t k, const int64_t *among,
                                    const int64_t *labels /* [n] */, size_t classes);

/* The angle of an image's long axis, that end first towards which its third moment is positive: it
 * rotates with the image. 0 for one that has no axis. */
double baseline_axis(const float *image, size_t height, size_t width, size_t channels);

/* Accuracies in percent by key, null for those without a figure; and what each needs and takes. */
json_t *baselines_accuracy(const baseline of[BASELINES]);
json_t *baselines_json(const baseline of[BASELINES]);
/* The second as a table; nothing where the result has none. */
void baselines_show(const json_t *result);

#endif
