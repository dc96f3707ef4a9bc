/* both.h - a model of images and a model of molecules side by side, for what models of every kind
 * promise alike: images.safetensors and molecules.safetensors in the scratch folder, their
 * backbones images.backbone and molecules.backbone, and what they were made from. */
#ifndef TESTS_MODEL_BOTH_H
#define TESTS_MODEL_BOTH_H

#include "chains.h"
#include "tiny.h"

#include <recon/group/so2.h>
#include <recon/model/canonicalize.h>

typedef struct {
    const char *name; /* of its data */
    const recon_group *group;
    const char *model, *backbone; /* file names */
    const char *code_kind;        /* of the backbone */
    const recon_data *data;
    const void *inputs; /* all of them */
    size_t n;
} domain;

/* Maps that have hardly learned: what is promised alike does not depend on it. */
static const recon_discover_options both_options = {
    .maps = { .hidden = 64, .epochs = 8, .batch = 32, .rate = 5e-3, .seed = 1 },
    .data = "either",
    .folds = -1,
    .lambda = RECON_LAMBDA_HEAD,
};

static domain both[2] = {
    { "images", RECON_SO2, "images.safetensors", "images.backbone", "ieae", NULL, tiny_images,
      TINY_N },
    { "molecules", RECON_SO3, "molecules.safetensors", "molecules.backbone", "molnet", NULL, NULL,
      CHAINS_N },
};
#define EACH_DOMAIN(d) for (const domain *d = both; d < both + 2; d++)

static recon_dataset *both_letters;
static recon_molecules *both_chains;
static recon_conformer *both_list;

/* The whole model of the backbone that was trained last. */
static inline void both_discover(recon_ctx *ctx, const domain *d)
{
    recon_discovery found;
    CHECK_OK(ctx, recon_discover(ctx, &found, scratch("backbone.safetensors"), NULL, d->data,
                                 scratch_folder, &both_options));
    recon_discovery_free(&found);
    assert_int_equal(rename(scratch("model.safetensors"), scratch(d->model)), 0);
    assert_int_equal(rename(scratch("backbone.safetensors"), scratch(d->backbone)), 0);
}

/* Group fixture: a context and the scratch folder, with the data; and with the models. */
static inline int both_data(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    both_letters = tiny_data(*state);
    both_chains = chains_data(*state);
    both_list = chains_list(both_chains);
    both[0].data = recon_dataset_data(both_letters);
    both[1].data = recon_molecules_data(both_chains);
    both[1].inputs = both_list;
    return 0;
}

static inline int both_setup(void **state)
{
    if (both_data(state) != 0)
        return -1;
    tiny_train(*state, both_letters, 0);
    both_discover(*state, &both[0]);
    chains_train(*state, both_chains);
    both_discover(*state, &both[1]);
    return 0;
}

static inline int both_teardown(void **state)
{
    free(both_list);
    recon_molecules_close(both_chains);
    recon_dataset_close(both_letters);
    return scratch_teardown(state);
}

static inline recon_model *open_model(recon_ctx *ctx, const domain *d)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, scratch(d->model), RECON_SINGLE));
    return model;
}

enum { BOTH_MOST = (int)TINY_N > (int)CHAINS_N ? TINY_N : CHAINS_N };

static inline double psi_apart(const domain *d, const recon_pose *a, const recon_pose *b)
{
    return d->group->distance(d->group, a->psi, b->psi);
}

static inline double rotate_apart(const domain *d, const recon_pose *a, const recon_pose *b)
{
    return d->group->distance(d->group, a->rotation, b->rotation);
}

#endif
