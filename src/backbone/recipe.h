/* recipe.h (private) - how a model was trained, as its file says it: the numbers of the metadata
 * "training" (nn/settings.h). The text may be anything. */
#ifndef BACKBONE_RECIPE_H
#define BACKBONE_RECIPE_H

#include <recon/core/safetensors.h>

/* Of a model that was trained from another: the metadata with that one's path or name, and the setting
 * with the fingerprint of its weights. */
#define RECON_RECIPE_FROM "from"

/* The number under a name, at most 1e9; 0 where the file has none: options read that as their
 * default. */
double recon_recipe_number(const recon_safetensors *file, const char *name);
size_t recon_recipe_size(const recon_safetensors *file, const char *name);

/* Whether the file has this under the name. */
int recon_recipe_is(const recon_safetensors *file, const char *name, const char *value);

/* The weight of a term of the loss; negative where the file has none. */
double recon_recipe_weight(const recon_safetensors *file, const char *name);

/* By which terms a backbone of images was trained: reconstruction alone (the paper's), the pose and
 * contrastive terms beside it, or a pose density too. */
typedef enum {
    RECON_TRAINED_PLAIN,
    RECON_TRAINED_TERMS,
    RECON_TRAINED_DENSITY,
    RECON_TRAINED_KINDS,
    RECON_TRAINED_UNKNOWN = RECON_TRAINED_KINDS /* the file does not say */
} recon_trained;
recon_trained recon_recipe_terms(const recon_safetensors *file);
const char *recon_trained_name(recon_trained kind); /* "plain", "terms", "density", "unknown" */

/* The path or name of the model that this one was trained from; NULL where there was none. */
const char *recon_recipe_from(const recon_safetensors *file);

/* Whether there was one, and it is not there any more or has other weights. */
int recon_recipe_is_lost(recon_ctx *ctx, const recon_safetensors *file);

/* The epochs of a backbone of images that is fitted again only to measure how unusual inputs are that it
 * has not seen: a part of the first training's. What is measured are tails of its own densities, and those
 * of a shorter training are wider, but hold as many of the poses as they say. */
size_t recon_recipe_short(const recon_safetensors *file);

/* The batch for n inputs: what the file says, but no more than a quarter of them. */
size_t recon_recipe_batch(const recon_safetensors *file, size_t n);

#endif
