/* plan.h - a backend whose kernels do nothing.
 *
 * A step that runs on it goes through all its operations and takes all its memory, on paper, so that
 * the amount is known before any of it is taken. */
#ifndef OPS_PLAN_H
#define OPS_PLAN_H

#include "ops/ops.h"

/* Shapes are judged, and memory of the caller's own is given, as the real table does; nothing is
 * copied or computed. */
recon_ops recon_ops_plan(const recon_ops *real);

#endif
