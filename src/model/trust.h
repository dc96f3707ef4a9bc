/* trust.h (private) - the measures behind recon_trust. */
#ifndef MODEL_TRUST_H
#define MODEL_TRUST_H

#include <recon/model/trust.h>
#include "model/model.h"

#include <jansson.h>

/* "trustworthy", "with care", "do not use". */
const char *recon_trust_name(recon_trust_level level);
/* The reasons and their remedies, as sentences; "" if there are none. RECON_TRUST_REASONS
 * characters are enough for all of them. Returns out. */
enum { RECON_TRUST_REASONS = 2000 };
const char *recon_trust_reasons(char *out, size_t room, const recon_trust *trust,
                                recon_spelling spelling);

/* Judges from the measures, and from RECON_TRUST_GAIN_UNKNOWN where `against` has it already: that is
 * known of the backbone. */
void recon_trust_judge(recon_trust *trust);

/* Whether the widths of poses say how far inputs occur rotated. Of a backbone whose errors look like
 * rotations they are both together, and which part is which cannot be told. */
int recon_trust_has_width(const recon_trust *trust);

/* A discovery. */
typedef struct {
    const recon_model
        *model; /* the parts of what will be written; of the points, maps->held are held out */
    const recon_data *data;
    const recon_embedded *embedded;
    const recon_frames *frames;
    const int64_t *cluster; /* [points]                                           */
    const void *said;       /* [points] what the maps say of each: of their kind  */
    const double
        *fold_scores;    /* [points] by maps that have not seen it; NULL: there were no folds */
    double inconsistent; /* share of the points                                */
} recon_trust_job;

/* trust->lambda is filled in already. With folds all points are judged, else those held out. */
recon_status recon_trust_measure(recon_ctx *ctx, recon_trust *trust, const recon_trust_job *job);

/* Of a backbone of images with a pose density that was just trained: on the images held out, with
 * those that it was trained on as their neighbours. A backbone without one is RECON_ERR_INPUT. */
recon_status recon_trust_backbone(recon_ctx *ctx, recon_trust *trust,
                                  const recon_backbone *backbone, const recon_dataset *data,
                                  uint64_t seed);

/* --- what both measure ------------------------------------------------------------------------ */

/* Every measure NaN. */
recon_trust recon_trust_unmeasured(void);

/* Sets points, information and its error from what the density knows of each point, nats [n]. */
void recon_trust_information(recon_trust *trust, const double *nats, size_t n);

/* Angles of points, one for each row of the frames, and of those that their neighbours are among. */
typedef struct {
    const double *psi, *lambda; /* [rows] */
    const double *index_psi, *index_lambda;
    const unsigned char *counts, *index_counts; /* [rows] which of them count, and as neighbours */
    const recon_frames *frames;
    int smoothed; /* Lambda is a mean over neighbours, or learned from such means */
} recon_trust_points;

/* Sets before, after, gain and its error, of the points that count; where these are too few for a mean,
 * they stay as they are. */
void recon_trust_distances(recon_trust *trust, const recon_trust_points *points);

/* Copies of n such points, which were rotated into poses that are known: radians from the natural one. */
typedef struct {
    size_t n;
    const size_t *which;        /* [n] the points */
    const double *psi, *lambda; /* [n] as they are found in the copies */
    const double *known;        /* [n] */
} recon_trust_copies;

/* Takes from before, after and gain what is wrong with them where it is known. */
void recon_trust_correct(recon_trust *trust, const recon_trust_points *points,
                         const recon_trust_copies *copies);

/* RECON_TRUST_GAIN_UNKNOWN where these distances mean nothing with such a backbone, else 0. */
unsigned recon_trust_gain_unknown(const recon_backbone *backbone);

/* Whether the points that a density learned from are better known to it than those held out, beyond
 * chance; nats [n] of all points. */
int recon_trust_memorized(const double *nats, const unsigned char *held, size_t n);

/* What trust->frame is, of a few dozen images: see trust_frame.c. NaN of anything but images, and without a
 * pose density. */
recon_status recon_trust_frame(recon_ctx *ctx, double *out, const recon_backbone *backbone,
                               const recon_data *data);

/* The rows that say how well Lambda follows a rotation, of those that `among` marks (NULL: all): which have
 * one natural pose by the density (firm) or by their neighbours. That of a round or symmetric input is any,
 * and may change. Where these are too few, all. Returns how many. */
enum { RECON_TRUST_COPIES = 256 }; /* are enough */
size_t recon_trust_to_rotate(size_t which[RECON_TRUST_COPIES], const recon_frames *frames,
                             const unsigned char *firm /* [rows] */, const unsigned char *among);

/* The share of rows whose poses are too few to tell. */
double recon_trust_unsure(const recon_frames *frames);

/* --- trust_json.c ----------------------------------------------------------------------------- */

/* For summaries, --json and the metadata of models. */
json_t *recon_trust_json(const recon_trust *trust);

/* Keys of a model's metadata. */
#define RECON_TRUST_VERDICT  "trust"
#define RECON_TRUST_MEASURES "trust_measures"

/* From such JSON. Of the measures what is missing or of another kind is NaN. 0 where the verdict is
 * missing or none of this version; then nothing is known. */
int recon_trust_from_json(recon_trust *out, const json_t *from);

/* From a model's metadata: the verdict's name (NULL: none), and its measures as JSON (NULL: the verdict
 * alone). *known as above; text that is no JSON is RECON_ERR_FORMAT. */
recon_status recon_trust_read(recon_ctx *ctx, recon_trust *out, int *known, const char *verdict,
                              const char *measures, const char *path);

/* What is known of the natural pose by a density alone: what its input is told, so that a flat one is
 * RECON_NATURAL_UNSURE. On the full circle or with two opposite poses there is nothing to come closer to. */
recon_status recon_trust_natural(recon_ctx *ctx, recon_natural *out,
                                 const recon_so2_density *density);

#endif
