/* couple.h - the tensor product of features with directions.
 *
 * Features x of degrees l1, in rows of irreps `in`, and attributes of degrees l2, one channel of
 * each (the harmonics of an edge, or their mean over a node's edges), make features of degrees l3:
 *
 *     y_l3 = bias (of scalars) + sum over paths (l1, l2, l3) of sqrt(2 l3 + 1) C(l1, l2, l3)
 *            contracted with W x_l1 and attr_l2,
 *
 * fully connected: every path that the triangle rule allows has a weight for each pair of an input
 * and an output channel. Rotating x and the attributes rotates y. It is e3nn's
 * FullyConnectedTensorProduct, with the path normalisation included in the weights.
 *
 * The weights are one array: for l3 = 0, 1, .. a matrix [out.mul[l3]][columns of l3], its columns
 * by path: l1 outer, l2 inner, then the in.mul[l1] channels. */
#ifndef RECON_NN_COUPLE_H
#define RECON_NN_COUPLE_H

#include <recon/group/irreps.h>
#include <recon/nn/tape.h>

/* The paths and their tensors. Immutable: layers, tapes and threads may share it. It must outlive
 * the step of the tape. */
typedef struct recon_couple_plan recon_couple_plan;

/* Makes a plan. parity 1: only paths with l1 + l2 + l3 even, so that a mirror image has mirrored
 * features and the same scalars; 0: all paths, which distinguish mirror images. RECON_ERR_INPUT if
 * from or to has no channels, or more than are supported. */
RECON_API recon_status recon_couple_plan_make(recon_ctx *ctx, recon_couple_plan **out,
                                              const recon_irreps *from, const recon_irreps *to,
                                              int parity);
RECON_API void recon_couple_plan_free(recon_couple_plan *plan);

RECON_API size_t recon_couple_plan_weights(const recon_couple_plan *plan); /* their number */
/* The fan-in of a channel of degree l3: the terms of its sum, and the columns of its matrix. */
RECON_API size_t recon_couple_plan_columns(const recon_couple_plan *plan, size_t l3);
/* Writes standard deviations of the initial weights to out [weights], for recon_params_add_normal.
 * They preserve variances, like e3nn's layer in SEGNN, which is uniform in +-1 / sqrt(fan in). */
RECON_API void recon_couple_plan_deviations(const recon_couple_plan *plan, double *out);

/* x rows,dim(in); attr rows,16 in float (double on a tape of doubles), a constant; weight
 * [weights]; bias [out.mul[0]] or NULL. */
RECON_API recon_var recon_var_couple(recon_tape *tape, recon_var x, recon_var attr,
                                     recon_var weight, recon_var bias,
                                     const recon_couple_plan *plan);

#endif
