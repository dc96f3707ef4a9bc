/* recipe.h (private) - how a model was trained, as its file says it: the numbers of the metadata
 * "training", which are words and numbers ("30 epochs of batch 128, rate 0.001, ..."). */
#ifndef BACKBONE_RECIPE_H
#define BACKBONE_RECIPE_H

#include <recon/core/safetensors.h>

/* The number behind a word, and the one before it ("epochs"); `otherwise` where the file has none.
 * The text may be anything. */
double recon_recipe_behind(const recon_safetensors *file, const char *word, double otherwise);
double recon_recipe_before(const recon_safetensors *file, const char *word, double otherwise);

/* The same as a size from 0 to 1e9; 0, which options read as their default, where it is none. */
size_t recon_recipe_size(double number);

/* The weight of a term of the loss; negative where the file has none: options read zero as their
 * default. */
double recon_recipe_weight(const recon_safetensors *file, const char *word);

/* The batch for n inputs: what the file says, but no more than a quarter of them. */
size_t recon_recipe_batch(const recon_safetensors *file, size_t n);

#endif
