/* audit.h - which inputs of a set that calls itself aligned are not.
 *
 * An input is compared with itself, rotated: of all its rotations, how likely is the one that was
 * given? What speaks for each is added up:
 *
 *   - the pose density q of the input;
 *   - its agreement with the mean log density of the neighbours in the embedding;
 *   - the neighbours' poses by the centres of their densities;
 *   - the neighbours' poses by psi.
 *
 * The weights are those that make the given poses most likely, so each set finds out what tells its
 * own poses. Neighbours count by how likely they stand right, found in rounds; no input is its own
 * neighbour. Without a pose density there is the last alone, for poses of any group.
 *
 * The score is the log-likelihood ratio of a random rotation to none. A kind that stands in several
 * poses in the set raises nothing. p-values and their threshold, for the rate of Benjamini and
 * Hochberg, are of half the score, because networks are too sure of themselves. What is a number here was chosen on training images
 * of MNIST, Fashion-MNIST and CIFAR-10. */
#ifndef RECON_MODEL_AUDIT_H
#define RECON_MODEL_AUDIT_H

#include <recon/model/model.h>

/* Fewer inputs than this cannot be called wrong where three in a hundred are, at a rate of 0.05. */
enum { RECON_AUDIT_LEAST = 667 };

typedef struct {
    double score, p;
    double rotation[RECON_NUMBERS_MAX]; /* brings the input to where it should be       */
    int wrong, mixed;                   /* mixed: its kind stands in several poses here */
} recon_audited;

typedef struct {
    size_t wrong, mixed;
    double threshold; /* of the p-values; 0: none is called */
    double known;     /* nats about the given poses, mean   */
    double fall;      /* the rate at which p-values fall with half the score, at most 1 */
} recon_audit_result;

/* Of a set of whose poses less is known nothing is called. */
#define RECON_AUDIT_KNOWN 0.7

/* rate: the false-discovery rate, below 1. RECON_ERR_INPUT for fewer than RECON_AUDIT_FEW inputs. */
enum { RECON_AUDIT_FEW = 12 };
RECON_API recon_status recon_audit(recon_ctx *ctx, recon_audited *out /* [inputs] */,
                                   recon_audit_result *result, const recon_model *model,
                                   const recon_data *data, double rate);
/* The same of inputs that were embedded. */
RECON_API recon_status recon_audit_embedded(recon_ctx *ctx, recon_audited *out /* [inputs->n] */,
                                            recon_audit_result *result,
                                            const recon_embedded *inputs, double rate);

#endif
