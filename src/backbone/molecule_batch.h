/* molecule_batch.h - several molecules as one list of atoms.
 *
 * A pack is the list in host memory; a batch is the same on a tape. Rows ("nodes") are atoms,
 * molecule by molecule, followed by padding, so that all batches of a training have the same
 * shapes. If a batch is cut into slices (ops/slices.h), so is its list: every slice has the same
 * number of rows, with its own molecules and padding. Places are relative to the mean of each
 * molecule's atoms; they are input, so there is no gradient with respect to them. */
#ifndef BACKBONE_MOLECULE_BATCH_H
#define BACKBONE_MOLECULE_BATCH_H

#include <recon/data/molecules.h>
#include <recon/nn/tape.h>
#include "ops/slices.h"

typedef struct {
    size_t n, nodes, atoms; /* molecules, rows, rows that are atoms */
    size_t slots;           /* atoms of a molecule that a decoder makes */
    int32_t *kind;          /* [nodes] place in the list of elements; 0 in padding */
    float *mask;            /* [nodes] 1, or 0 in padding */
    float *xyz;             /* [nodes][3]; 0 in padding */
    int32_t *offset;        /* [n + 1] first node of each molecule; behind the last of all atoms */
    int32_t *count;         /* [n] atoms of each */
    int32_t *span;          /* [n + 1] as offset, but span[n] = nodes: padding is of the molecule
                                before it */
    int32_t *apart;         /* [groups + 1] as offset, but each row of padding is a group of its
                                own, and the last groups are empty */
    size_t groups;
    int32_t *molecule;          /* [nodes] 0 .. n-1; in padding the one before */
    int32_t *slot, *slot_of;    /* [nodes] row among [n * slots] of the decoder's atoms, ascending;
                                [n * slots + 1] first node of each such row */
    float *made;                /* [nodes] mask, less atoms behind the last slot, which share it */
    size_t each;                /* molecules of a slice; 0: no slices */
    size_t real;                /* atoms with a slot of their own */
    size_t all_nodes, all_real; /* nodes, and real, of the whole batch: here, or at all ranks */
    int32_t *order;             /* [nodes] 0, 1, 2 ..: see recon_gather_args */
    size_t room_n, room_nodes, room_slots; /* molecules, nodes, n * slots that fit */
} recon_molecule_pack;                     /* all zero: empty */

/* n > 0 conformers, each rotated by its rotation (NULL: none is). nodes 0: as many as there are
 * atoms; else at least that. element [elements] are ascending atomic numbers; another one is
 * RECON_ERR_INPUT. slots > 0. Memory grows when it has to, and is used again. */
typedef struct {
    const uint8_t *element;
    size_t elements, slots, nodes;
    size_t
        each; /* molecules of a slice, the last of which may have fewer, and nodes then are those of
                    each slice; 0: no slices */
} recon_molecule_pack_options;
recon_status recon_molecule_pack_fill(recon_ctx *ctx, recon_molecule_pack *pack,
                                      const recon_conformer *x, const recon_so3 *rotation, size_t n,
                                      const recon_molecule_pack_options *options);
void recon_molecule_pack_free(recon_molecule_pack *pack);

/* The pack's arrays as variables, in the same shapes but for mask and made, [nodes][1], which is
 * what recon_var_gate wants. Beside them what an encoder fed itself, see molecule_encoder.h. */
typedef struct {
    size_t n, nodes, slots;
    recon_var kind, mask, xyz, offset, span, molecule, slot, slot_of, made, order;
    recon_var share, surplus; /* [1] nodes / real, and that less 1: a mean over rows into one over
                                 atoms */
    recon_var edge[12];       /* the encoder's own: NULL where it has none */
    recon_slices own[3];      /* how what the encoder fed is cut */
    const recon_slices *rows; /* how nodes are cut; NULL: they are not */
} recon_molecule_batch;

/* rows: how the nodes are cut, lent for as long as the batch is used; NULL: they are not. */
recon_status recon_molecule_batch_feed(recon_tape *tape, recon_molecule_batch *out,
                                       const recon_molecule_pack *pack, const recon_slices *rows);

#endif
