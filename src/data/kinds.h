/* kinds.h (private) - the kinds of data that SPECs name. */
#ifndef DATA_KINDS_H
#define DATA_KINDS_H

#include <recon/data/data.h>
#include <recon/data/dataset.h>
#include <recon/data/molecules.h>

extern const recon_data_kind recon_images_kind, recon_molecules_kind;

/* Whether a text names data, by a prefix or a known name. */
int recon_data_is(const char *spec);

/* A handle as what it is; NULL where it is of another kind. */
const recon_dataset *recon_data_images(const recon_data *data);
const recon_molecules *recon_data_molecules(const recon_data *data);

#endif
