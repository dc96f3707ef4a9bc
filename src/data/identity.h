/* identity.h (private) - one number for all that data hold: a resumed run, another rank and a later
 * command know them again by it.
 *
 * The data are cut into pieces, and the number is the sum, modulo 2^64, of a hash (SipHash-1-3) of
 * each piece under its place as the key; then their count and form are mixed in. One pixel, atom or
 * number that differs changes it, and so does another order; how many threads, blocks or ranks read
 * them does not. */
#ifndef DATA_IDENTITY_H
#define DATA_IDENTITY_H

#include <inttypes.h>
#include <recon/core/array.h>
#include <recon/data/data.h>

#define RECON_IDENTITY "%016" PRIx64 /* as it is written everywhere */

/* Of inputs: a piece is an input. With labels: of these, too. */
recon_status recon_identity(recon_ctx *ctx, uint64_t *out, const recon_data *data, int labels);

/* Of an array as it lies in its file. */
recon_status recon_identity_array(recon_ctx *ctx, uint64_t *out, const recon_array *array);

/* Of several together. */
uint64_t recon_identity_join(const uint64_t *identity, size_t n);

/* RECON_ERR_MISMATCH at all ranks where one of them has other inputs. */
recon_status recon_identity_compare(recon_ctx *ctx, const recon_data *data);

#endif
