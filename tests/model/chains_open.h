/* The chains, their model and a list of their conformers, open for all tests of a program. */
#ifndef MODEL_CHAINS_OPEN_H
#define MODEL_CHAINS_OPEN_H

#include "chains.h"

static recon_molecules *data;
static recon_model *model;
static recon_conformer *list;

static int setup(void **state)
{
    if (chains_setup(state) != 0)
        return -1;
    data = chains_data(*state);
    model = chains_model(*state);
    list = chains_list(data);
    return 0;
}

static int teardown(void **state)
{
    free(list);
    recon_model_close(*state, model);
    recon_molecules_close(data);
    return scratch_teardown(state);
}

#endif
