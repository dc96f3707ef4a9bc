/* data.h - inputs of any domain: a handle that knows its kind.
 *
 * A recon_dataset (images) and a recon_molecules are such handles. An application adds its own: a
 * struct that begins with a recon_data, and a recon_data_kind for it. Every stage from embedding to
 * the report takes a recon_data. */
#ifndef RECON_DATA_DATA_H
#define RECON_DATA_DATA_H

#include <stdint.h>
#include <recon/core/ctx.h>

typedef struct recon_data recon_data;

typedef struct {
    size_t n;       /* inputs */
    size_t bytes;   /* of one input, as `read` writes it */
    size_t labels;  /* largest label + 1; 0: there are none */
    size_t skipped; /* inputs that were left out because they could not be read */
} recon_data_info;

/* How a SPEC is opened. Zero means the default; kinds ignore what they do not use. */
typedef struct {
    int skip_bad; /* 1: skip and count inputs that cannot be used; 0: the first one is an error */
    int crop;     /* images: see recon_dataset_options and RECON_CROP_OPEN */
    size_t size, channels, picture_most; /* images: see recon_dataset_options */
    uint64_t reserved[RECON_RESERVED];
} recon_data_options;

/* Everything below `read` may be NULL in an application's own kind; `label` must be there if
 * `describe` counts labels. */
typedef struct {
    const char *name;       /* in models and results: "images", "molecules" */
    const char *one, *many; /* nouns for its inputs: "conformer", "conformers" */
    recon_data_info (*describe)(const recon_data *data);
    void (*close)(recon_data *data);
    /* Writes inputs first .. first + n - 1 to a batch, as backbones for this kind take it. */
    void (*read)(void *inputs, const recon_data *data, size_t first, size_t n);
    int64_t (*label)(const recon_data *data, size_t i);
    recon_status (*open)(recon_ctx *ctx, recon_data **out, const char *spec,
                         const recon_data_options *options);
    /* Opens a subset: count inputs chosen by seed, in their order. data must outlive it. */
    recon_status (*take)(recon_ctx *ctx, recon_data **out, const recon_data *data, size_t count,
                         uint64_t seed);
    /* Opens the n inputs which[0], which[1] ..., in that order. */
    recon_status (*pick)(recon_ctx *ctx, recon_data **out, const recon_data *data,
                         const size_t *which, size_t n);
    /* Rotates each input by a rule, for experiments with a known truth. "all" (SO(2)) and "haar"
     * (SO(3)) are uniformly random rotations; with them recon_discover measures how rotations
     * change embeddings. */
    recon_status (*rotate)(recon_ctx *ctx, recon_data **out, const recon_data *data,
                           const char *rule, uint64_t seed);
    size_t (*origin)(const recon_data *data, size_t i);       /* the row in the file it is from */
    const char *(*name_of)(const recon_data *data, size_t i); /* its file or molecule, or NULL */
    const char *(*skipped)(const recon_data *data, size_t i); /* the i-th skipped one: why */
    /* A 64-bit hash of input i; any thread may call it. NULL: the bytes that `read` writes are
     * hashed; they must not contain pointers. */
    uint64_t (*hash)(const recon_data *data, size_t i);
} recon_data_kind;

struct recon_data {
    const recon_data_kind *kind;
};

/* Opens a SPEC of any kind (see dataset.h and molecules.h). options may be NULL. */
RECON_API recon_status recon_data_open(recon_ctx *ctx, recon_data **out, const char *spec,
                                       const recon_data_options *options);
/* Writes the SPEC for a text to out, truncated to `room` bytes, and returns out. A SPEC is copied;
 * a file or folder gets the prefix that its name or content implies. is_path: treat the text as a
 * path even if a known set has that name. */
RECON_API char *recon_data_spec(char *out, size_t room, const char *text, int is_path);
/* Returns the kind of a SPEC; images if it is not known. */
RECON_API const recon_data_kind *recon_data_kind_of(const char *spec);
RECON_API void recon_data_close(recon_data *data);
RECON_API recon_data_info recon_data_describe(const recon_data *data);

#endif
