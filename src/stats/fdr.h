/* fdr.h - which of many scores to call unusual, at a false-discovery rate.
 *
 * The scores are log odds against an input, and most inputs are usual. If the odds are calibrated, those of a
 * usual input are beyond e^s with a probability that falls at least as fast as e^-s (Markov's inequality, since
 * the odds have mean one). That makes the tail known from the body of the scores, where a few unusual inputs
 * change little; the far end, where most of the unusual ones are, is not asked. Odds of a model that is too sure
 * of itself fall more slowly: then the rate of the fall is measured.
 *
 * The procedure is that of Benjamini and Hochberg (1995). */
#ifndef STATS_FDR_H
#define STATS_FDR_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* The largest p-value that is called at the rate: the largest p(r) <= rate r / n of those in rising order; 0: none
 * is called. */
recon_status recon_fdr_threshold(recon_ctx *ctx, double *out, const double *p /* [n] */, size_t n,
                                 double rate);

/* The p-values of scores of which most are usual, from 1 / (n + 1) to 1, counting the score at hand among the
 * others, and the threshold at this rate. *fall, which may be NULL: the rate at which the tail falls, at most 1. */
recon_status recon_fdr_p_values(recon_ctx *ctx, double *p /* [n] */, double *threshold,
                                double *fall, const double *score /* [n] */, size_t n, double rate);

#endif
