/* recipe.h (private) - the settings of a network's training, one table per network: names,
 * defaults, help, and how a model records them. */
#ifndef BACKBONE_RECIPE_H
#define BACKBONE_RECIPE_H

#include <recon/backbone/networks.h>
#include <recon/core/safetensors.h>
#include <recon/nn/params.h>
#include "nn/settings.h"

/* --- the table -------------------------------------------------------------------------------- */

typedef enum {
    RECON_RECIPE_COUNT,  /* size_t, at least 1 */
    RECON_RECIPE_NUMBER, /* double, above 0 */
    RECON_RECIPE_WEIGHT, /* double, at least 0; none is kept as -1, as 0 means the default */
    RECON_RECIPE_SWITCH, /* int: 0, auto; 1, on, recorded as "yes"; -1, off, recorded as "no":
                            its words are RECON_RECIPE_ON_OFF */
    RECON_RECIPE_WORD    /* int: the place of the word among `words` */
} recon_recipe_type;

#define RECON_RECIPE_ON_OFF "auto|on|off"

enum { RECON_RECIPE_PRESETS = RECON_PRESET_PHOTO_SMALL + 1 };

typedef struct {
    const char *name, *help;
    recon_recipe_type type;
    size_t offset;                       /* in the network's options */
    double preset[RECON_RECIPE_PRESETS]; /* default of each; negative: none; 0: see the help */
    double few;                          /* the default for few inputs; 0: the preset's */
    const char *words;                   /* "bonds|elements" */
    const char *recorded;                /* the name in the model's file; NULL: the same */
    int in_shape; /* part of the architecture: the file has it in metadata of its own */
    int is_term;  /* the weight of a term besides the reconstruction, which `plain` leaves out */
    int (*is_recorded)(const void *options); /* NULL: always */
} recon_recipe_entry;

typedef struct recon_recipe {
    const recon_recipe_entry *entry;
    size_t n, presets; /* entries; the presets that the network has */
} recon_recipe;

extern const recon_recipe recon_ieae_recipe, recon_molecule_net_recipe;

/* Returns the entry of a name, or NULL. */
const recon_recipe_entry *recon_recipe_find(const recon_recipe *recipe, const char *name);
double recon_recipe_default(const recon_recipe *recipe, const char *name, recon_preset preset,
                            int few);

/* Replaces zeros in options by defaults, either in the shape, with which options begin, or in all
 * other settings, except the length of the run, which depends on the data. */
void recon_recipe_fill(void *options, const recon_recipe *recipe, recon_preset preset, int few,
                       int shape);

/* Writes the help of an entry: "weight of aligning neighbours (default: fast 4, paper none, small
 * 4)". Returns out. */
const char *recon_recipe_words(char *out, size_t room, const recon_recipe *recipe,
                               const recon_recipe_entry *entry);

/* Applies the settings of a training to the options of a network for that data ("images"), and
 * removes all terms if it is plain. RECON_ERR_INPUT: see recon_training_complete. */
recon_status recon_recipe_apply(recon_ctx *ctx, void *options, const recon_recipe *recipe,
                                const recon_training *training, const char *data);

/* Finds the preset of a training that does not start from a model. */
recon_status recon_training_preset(recon_ctx *ctx, recon_preset *out,
                                   const recon_training *training);

/* Write options to the settings of a run, and read them from the file of a trained model. */
void recon_recipe_record(recon_settings *settings, const recon_recipe *recipe, const void *options);
void recon_recipe_read(void *options, const recon_recipe *recipe, const recon_safetensors *file);

/* --- settings in a file's metadata "training" (nn/settings.h) --------------------------------- */

/* For a model that was trained from another: the metadata key of that model's path or name, and the
 * setting with the fingerprint of its weights. */
#define RECON_RECIPE_FROM "from"

/* Returns the number under a name, at most 1e9, or 0, which means the default, if there is none. */
double recon_recipe_number(const recon_safetensors *file, const char *name);
size_t recon_recipe_size(const recon_safetensors *file, const char *name);

/* Returns whether the file has this value under the name. */
int recon_recipe_is(const recon_safetensors *file, const char *name, const char *value);

/* Returns the weight of a term of the loss; negative if the file has none. */
double recon_recipe_weight(const recon_safetensors *file, const char *name);

/* The loss terms that a backbone for images was trained with: reconstruction alone, with the
 * paper's network and heads or with ours; the pose and contrastive terms too; or also a pose
 * density. */
typedef enum {
    RECON_TRAINED_RECIPE,
    RECON_TRAINED_PLAIN,
    RECON_TRAINED_TERMS,
    RECON_TRAINED_DENSITY,
    RECON_TRAINED_KINDS,
    RECON_TRAINED_UNKNOWN = RECON_TRAINED_KINDS /* the file does not say */
} recon_trained;
recon_trained recon_recipe_terms(const recon_safetensors *file);
/* "paper_recipe", "plain", "terms", "density", "unknown" */
const char *recon_trained_name(recon_trained kind);

/* Returns the path or name of the model that this one was trained from, or NULL. */
const char *recon_recipe_from(const recon_safetensors *file);

/* Computes a hash of all weights and buffers, as floats, that identifies a network. For data see
 * data/identity.h. */
recon_status recon_fingerprint_weights(recon_ctx *ctx, uint32_t *out, const recon_params *params);

/* Returns whether the model that it was trained from is missing or has other weights. */
int recon_recipe_is_lost(recon_ctx *ctx, const recon_safetensors *file);

/* Returns the epochs for retraining a backbone of images only to measure how unusual new inputs
 * are: a part of those of its training. The measures are tails of its own densities; after a
 * shorter training these are wider, but still calibrated. */
size_t recon_recipe_short(const recon_safetensors *file);

/* Returns the batch size for n inputs: that of the file, but at most a quarter of them. */
size_t recon_recipe_batch(const recon_safetensors *file, size_t n);

#endif
