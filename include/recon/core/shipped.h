/* shipped.h - the models that come with recon, which are opened by name. */
#ifndef RECON_CORE_SHIPPED_H
#define RECON_CORE_SHIPPED_H

#include <recon/core/ctx.h>

/* Writes the names of the complete models that recon_model_open finds, sorted, and returns how many. */
enum { RECON_SHIPPED_MOST = 20 };
typedef char recon_shipped_name[40];
RECON_API size_t recon_shipped_models(recon_shipped_name out[RECON_SHIPPED_MOST]);

#endif
