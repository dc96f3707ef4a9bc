/* rotations.h (private) - rules of rotation, one label or one name at a time. */
#ifndef DATA_ROTATIONS_H
#define DATA_ROTATIONS_H

#include <recon/data/dataset.h>

/* Returns the law for a label; -1: no label. */
recon_rotation_law recon_rotation_rule_of(const recon_rotation_rule *rule, int32_t label);

/* Return whether it is the name of a rule for images, or for molecules, and thus not a file. */
int recon_rotation_is_known(const char *rule);
int recon_molecule_rotation_is_known(const char *rule);

/* recon_dataset_rotate by a rule's name or file. */
recon_status recon_dataset_rotate_by(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                                     const char *rule, uint64_t seed);

#endif
