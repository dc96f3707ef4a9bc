/* recon.h - the public interface: data, models, canonicalization, scores, Algorithm 1.
 *
 * The neural-network engine is separate, in recon/nn.h. */
#ifndef RECON_H
#define RECON_H

#include <recon/core/status.h>
#include <recon/core/version.h>
#include <recon/core/ctx.h>
#include <recon/core/array.h>
#include <recon/core/safetensors.h>
#include <recon/core/shipped.h>
#include <recon/core/rng.h>
#include <recon/ops/backend.h>
#include <recon/group/so2.h>
#include <recon/group/so3.h>
#include <recon/group/so2_density.h>
#include <recon/group/matrix_fisher.h>
#include <recon/group/mean.h>
#include <recon/group/group.h>
#include <recon/knn/knn.h>
#include <recon/data/data.h>
#include <recon/data/dataset.h>
#include <recon/data/bitmap.h>
#include <recon/data/molecules.h>
#include <recon/nn/trained.h>
#include <recon/backbone/embedded.h>
#include <recon/backbone/backbone.h>
#include <recon/backbone/inputs.h>
#include <recon/backbone/networks.h>
#include <recon/normalize/normalize.h>
#include <recon/normalize/index.h>
#include <recon/maps/maps.h>
#include <recon/model/model.h>
#include <recon/model/pose.h>
#include <recon/model/canonicalize.h>
#include <recon/model/score.h>
#include <recon/model/spin.h>
#include <recon/model/trust.h>
#include <recon/model/discover.h>
#include <recon/model/export.h>
#include <recon/model/audit.h>
#include <recon/report/found.h>

#endif
