/* identity.h (private) - a hash that identifies data, for resumed runs, other ranks and later
 * commands.
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

/* The identity of inputs, where a piece is an input; with labels, also of these. */
recon_status recon_identity(recon_ctx *ctx, uint64_t *out, const recon_data *data, int labels);

/* The identity of an array as stored in its file. */
recon_status recon_identity_array(recon_ctx *ctx, uint64_t *out, const recon_array *array);

/* The identity of several together. */
uint64_t recon_identity_join(const uint64_t *identity, size_t n);

/* RECON_ERR_MISMATCH on all ranks if one of them has other inputs. */
recon_status recon_identity_compare(recon_ctx *ctx, const recon_data *data);

#endif
