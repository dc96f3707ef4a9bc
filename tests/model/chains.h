/* chains.h - a model of made-up molecules, trained in a second: three chains of atoms that stand
 * upright, shaken a little, and each rotated by a matrix Fisher distribution that holds one axis and
 * leaves the spin about it free. */
#ifndef TESTS_MODEL_CHAINS_H
#define TESTS_MODEL_CHAINS_H

#include "backbone/molecule_net.h"
#include "backbone/conformers.h"
#include "data/molecules.h"

#include <recon/model/discover.h>

enum { CHAINS = 3, CHAINS_N = 240 };

/* The axis that molecule m holds, in the world. */
static inline void chains_axis(double axis[3], const recon_molecules *data, size_t m)
{
    double f[9];
    assert_true(recon_molecules_fisher(f, data, m));
    for (int k = 0; k < 3; k++)
        axis[k] = f[4 * k] > 50;
}

/* To be closed. */
static inline recon_molecules *chains_data(recon_ctx *ctx)
{
    static recon_conformer list[CHAINS_N];
    static uint8_t z[CHAINS_N][CHAIN_ATOMS];
    static float xyz[CHAINS_N][3 * CHAIN_ATOMS];
    const char *const names[CHAINS] = { "long", "longer", "longest" };
    recon_rng rng = recon_rng_new(6, 0);
    recon_molecules *upright, *rotated;
    for (size_t i = 0; i < CHAINS_N; i++) {
        size_t m = i % CHAINS, atoms = chain(z[i], xyz[i], 2 + m);
        for (size_t k = 0; k < 3 * atoms; k++)
            xyz[i][k] += (float)(0.02 * recon_rng_normal(&rng));
        list[i] = (recon_conformer){ .atoms = atoms,
                                     .z = z[i],
                                     .xyz = xyz[i],
                                     .molecule = (int32_t)m,
                                     .energy = (float)i,
                                     .rmsd = NAN };
    }
    CHECK_OK(ctx, recon_molecules_make(ctx, &upright, list, CHAINS_N, names));
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &rotated, upright, "fisher", 3));
    recon_molecules_close(upright);
    return rotated;
}

/* backbone.safetensors in the scratch folder. */
static inline void chains_train(recon_ctx *ctx, const recon_molecules *data)
{
    recon_train_result r;
    if (scratch_find("chains", "backbone.safetensors"))
        return;
    CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("backbone.safetensors"),
                                           &(recon_molecule_net_options){
                                               .shape = { .preset = RECON_PRESET_SMALL,
                                                          .width = 0.25,
                                                          .layers = 2,
                                                          .latent = 24,
                                                          .code = 8 },
                                               .epochs = 4,
                                               .overwrite = 1,
                                               .batch = 16,
                                               .seed = 5,
                                           }));
    scratch_keep("chains", "backbone.safetensors");
}

static const recon_discover_options chains_options = {
    .maps = { .hidden = 64, .epochs = 120, .batch = 32, .rate = 6e-3, .seed = 1 },
    .data = "chains",
    .folds = -1,
};

/* model.safetensors, and all else that discover writes, in the scratch folder. */
static inline void chains_discover(recon_ctx *ctx, const recon_molecules *data)
{
    recon_discovery d;
    CHECK_OK(ctx, recon_discover(ctx, &d, scratch("backbone.safetensors"), NULL,
                                 recon_molecules_data(data), scratch_folder, &chains_options));
    recon_discovery_free(&d);
}

/* Group fixture: a context, the scratch folder, and the whole model as a file. */
static inline int chains_setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    recon_molecules *data = chains_data(*state);
    chains_train(*state, data);
    chains_discover(*state, data);
    recon_molecules_close(data);
    return 0;
}

static inline recon_model *chains_model(recon_ctx *ctx)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, scratch("model.safetensors"), RECON_SINGLE));
    return model;
}

/* All conformers of a set; free the list. */
static inline recon_conformer *chains_list(const recon_molecules *data)
{
    size_t n = recon_molecules_describe(data).n;
    recon_conformer *list = calloc(n, sizeof *list);
    assert_non_null(list);
    for (size_t i = 0; i < n; i++)
        list[i] = recon_molecules_get(data, i);
    return list;
}

static inline double angle_between(const double a[3], const double b[3])
{
    double c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    return acos(fmin(fmax(c, -1), 1));
}

static inline int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
    return x[n / 2];
}

#define DEGREE (M_PI / 180)

#endif
