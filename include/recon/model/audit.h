/* audit.h - which inputs of a set that calls itself aligned are not.
 *
 * An input of an aligned set is upright as it is given. The evidence against it is the log of the odds between
 * the likeliest pose and the one as given, by the pose density where the backbone has one, else the model's own
 * score. Kinds differ in that: some have poses that no network is sure of, some stand otherwise in this set than
 * in the model's training data. So an input is compared with its neighbours in the embedding, which does not
 * depend on its pose: the score is what its evidence has above that of three in four of them. A kind with several
 * poses in the set thereby raises nothing, and an input that is wrong hardly changes the score of another.
 * p-values and their threshold are for the false-discovery rate of Benjamini and Hochberg. */
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
    double fall;      /* the rate at which p-values fall with the score, at most 1 */
} recon_audit_result;

/* rate: the false-discovery rate, below 1. RECON_ERR_INPUT for fewer than RECON_AUDIT_FEW inputs. */
enum { RECON_AUDIT_FEW = 12 };
RECON_API recon_status recon_audit(recon_ctx *ctx, recon_audited *out /* [inputs] */,
                                   recon_audit_result *result, const recon_model *model,
                                   const recon_data *data, double rate);

#endif
