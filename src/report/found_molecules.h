/* found_molecules.h (private) - molecules, looked at once more for their report. */
#ifndef REPORT_FOUND_MOLECULES_H
#define REPORT_FOUND_MOLECULES_H

#include "report/found.h"

#include <recon/model/score.h>

enum { RECON_MOLECULE_SAMPLE = 240 }; /* conformers that the model looks at once more */

/* Everything a section may want. Without data: the folder and its groups alone. */
typedef struct {
    const recon_found_folder *f;
    const recon_molecules *data;
    int64_t *labels; /* [rows] or NULL */
    recon_found_groups groups;
    recon_model *model;
    size_t *row, n; /* the sample, and what the model says of it */
    recon_distribution3 *said;
    recon_found_trial trial;
} recon_molecule_look;

/* Molecules of the data, a sample of them before the model, and the groups. */
recon_status recon_molecule_look_open(recon_ctx *ctx, recon_molecule_look *look);
void recon_molecule_look_free(recon_ctx *ctx, recon_molecule_look *look);

/* Its atoms [atoms][3], rotated about the origin. */
void recon_molecule_rotate(float *out, const recon_conformer *conformer, recon_so3 by);

/* Sections with pictures; without data they say so. */
recon_status recon_molecule_show_gallery(recon_ctx *ctx, recon_page *page,
                                         const recon_molecule_look *look);
recon_status recon_molecule_show_neighbors(recon_ctx *ctx, recon_page *page,
                                           const recon_molecule_look *look);
recon_status recon_molecule_show_worst(recon_ctx *ctx, recon_page *page,
                                       const recon_molecule_look *look);

#endif
