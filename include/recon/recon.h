/* recon.h - the whole public interface. */
#ifndef RECON_H
#define RECON_H

#include <recon/core/status.h>
#include <recon/core/ctx.h>
#include <recon/core/rng.h>
#include <recon/ops/backend.h>
#include <recon/knn/knn.h>

#endif
