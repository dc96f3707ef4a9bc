/* recipe.h (private) - the numbers by which a network is trained, one table per network: their names,
 * defaults and help, how they are recorded in the model, and how they are read back. */
#ifndef BACKBONE_RECIPE_H
#define BACKBONE_RECIPE_H

#include <recon/backbone/networks.h>
#include <recon/core/safetensors.h>
#include <recon/nn/params.h>
#include "nn/settings.h"

/* --- the table -------------------------------------------------------------------------------- */

typedef enum {
    RECON_RECIPE_COUNT,  /* size_t, at least 1                                                  */
    RECON_RECIPE_NUMBER, /* double, above 0                                                     */
    RECON_RECIPE_WEIGHT, /* double, at least 0; none is kept as -1, as 0 means the default      */
    RECON_RECIPE_SWITCH, /* int: 0, auto; 1, on, recorded as "yes"; -1, off, recorded as "no":
                            its words are RECON_RECIPE_ON_OFF                                   */
    RECON_RECIPE_WORD    /* int: the place of the word among `words`                            */
} recon_recipe_type;

#define RECON_RECIPE_ON_OFF "auto|on|off"

enum { RECON_RECIPE_PRESETS = RECON_PRESET_PHOTO_SMALL + 1 };

typedef struct {
    const char *name, *help;
    recon_recipe_type type;
    size_t offset;                       /* in the network's options                            */
    double preset[RECON_RECIPE_PRESETS]; /* default of each; negative: none; 0: see the help    */
    double few;                          /* the default for few inputs; 0: the preset's         */
    const char *words;                   /* "bonds|elements"                                    */
    const char *recorded;                /* the name in the model's file; NULL: the same        */
    int in_shape; /* part of the architecture: the file has it in metadata of its own           */
    int is_term;  /* the weight of a term besides the reconstruction, which `plain` leaves out  */
    int (*is_recorded)(const void *options); /* NULL: always                                    */
} recon_recipe_entry;

typedef struct recon_recipe {
    const recon_recipe_entry *entry;
    size_t n, presets; /* entries; the presets that the network has */
} recon_recipe;

extern const recon_recipe recon_ieae_recipe, recon_molecule_net_recipe;

/* NULL: there is none of that name. */
const recon_recipe_entry *recon_recipe_find(const recon_recipe *recipe, const char *name);
double recon_recipe_default(const recon_recipe *recipe, const char *name, recon_preset preset,
                            int few);

/* The defaults where the options have 0: of the shape, with which options begin, or of all numbers and
 * weights besides; how long a run is depends on its data. */
void recon_recipe_fill(void *options, const recon_recipe *recipe, recon_preset preset, int few,
                       int shape);

/* What an entry is and defaults to, for help: "weight of aligning neighbours (default: fast 4, paper
 * none, small 4)". Returns out. */
const char *recon_recipe_words(char *out, size_t room, const recon_recipe *recipe,
                               const recon_recipe_entry *entry);

/* The training's settings to the options of a network of that data ("images"), and without all terms
 * where it is plain. RECON_ERR_INPUT: see recon_training_complete. */
recon_status recon_recipe_apply(recon_ctx *ctx, void *options, const recon_recipe *recipe,
                                const recon_training *training, const char *data);

/* The preset of a training that starts from no model. */
recon_status recon_training_preset(recon_ctx *ctx, recon_preset *out,
                                   const recon_training *training);

/* To a run's settings, and from the file of a model that was trained with them. */
void recon_recipe_record(recon_settings *settings, const recon_recipe *recipe, const void *options);
void recon_recipe_read(void *options, const recon_recipe *recipe, const recon_safetensors *file);

/* --- what a file says, in its metadata "training" (nn/settings.h) ----------------------------- */

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

/* By which terms a backbone of images was trained: reconstruction alone, with the paper's network and heads or
 * with ours, the pose and contrastive terms beside it, or a pose density too. */
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

/* The path or name of the model that this one was trained from; NULL where there was none. */
const char *recon_recipe_from(const recon_safetensors *file);

/* A hash of all weights and buffers, as floats: it tells networks of one shape apart. What tells data
 * apart is data/identity.h. */
recon_status recon_fingerprint_weights(recon_ctx *ctx, uint32_t *out, const recon_params *params);

/* Whether there was one, and it is not there any more or has other weights. */
int recon_recipe_is_lost(recon_ctx *ctx, const recon_safetensors *file);

/* The epochs of a backbone of images that is fitted again only to measure how unusual inputs are that it
 * has not seen: a part of the first training's. What is measured are tails of its own densities, and those
 * of a shorter training are wider, but hold as many of the poses as they say. */
size_t recon_recipe_short(const recon_safetensors *file);

/* The batch for n inputs: what the file says, but no more than a quarter of them. */
size_t recon_recipe_batch(const recon_safetensors *file, size_t n);

#endif
