/* recon.h - the whole public interface. */
#ifndef RECON_H
#define RECON_H

#include <recon/core/status.h>
#include <recon/core/ctx.h>
#include <recon/core/array.h>
#include <recon/core/npy.h>
#include <recon/core/npz.h>
#include <recon/core/safetensors.h>
#include <recon/core/rng.h>
#include <recon/ops/backend.h>
#include <recon/group/so2.h>
#include <recon/group/so3.h>
#include <recon/group/se2.h>
#include <recon/group/se3.h>
#include <recon/stats/mean.h>
#include <recon/stats/so2_mean.h>
#include <recon/stats/so2_density.h>
#include <recon/stats/so3_mean.h>
#include <recon/stats/matrix_fisher.h>
#include <recon/stats/fisher_fit.h>
#include <recon/stats/wasserstein.h>
#include <recon/stats/roc.h>
#include <recon/knn/knn.h>
#include <recon/nn/params.h>
#include <recon/nn/tape.h>
#include <recon/nn/layers.h>
#include <recon/nn/nets.h>
#include <recon/nn/fields.h>
#include <recon/nn/steerable_basis.h>
#include <recon/nn/steerable.h>
#include <recon/nn/adam.h>
#include <recon/nn/schedule.h>
#include <recon/nn/checkpoint.h>
#include <recon/nn/check.h>
#include <recon/nn/train.h>
#include <recon/data/idx.h>
#include <recon/data/dataset.h>
#include <recon/data/loader.h>
#include <recon/data/image.h>
#include <recon/data/turns.h>
#include <recon/backbone/embedded.h>
#include <recon/backbone/classifier.h>
#include <recon/backbone/ieae.h>
#include <recon/normalize/normalize.h>

#endif
