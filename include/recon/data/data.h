/* data.h - inputs of any domain: a handle that knows its kind.
 *
 * A recon_dataset (images) and a recon_molecules are such handles, and so is what an application
 * makes of its own: a struct that begins with a recon_data, and a recon_data_kind beside it. Every
 * stage from embedding to the report takes a recon_data. */
#ifndef RECON_DATA_DATA_H
#define RECON_DATA_DATA_H

#include <stdint.h>
#include <recon/core/ctx.h>

typedef struct recon_data recon_data;

typedef struct {
    size_t n;       /* inputs                                                            */
    size_t bytes;   /* of one input, as `read` leaves it                                 */
    size_t labels;  /* largest label + 1; 0: there are none                              */
    size_t skipped; /* inputs that were left out because they could not be read          */
} recon_data_info;

/* How a SPEC is opened. Zero in any field means its default; a kind reads what concerns it. */
typedef struct {
    int skip_bad;                        /* leave out and count what cannot be used           */
    int crop;                            /* images: see recon_dataset_options                 */
    size_t size, channels, picture_most; /* images: see recon_dataset_options                 */
    uint64_t reserved[RECON_RESERVED];
} recon_data_options;

/* Everything below `read` may be NULL in an application's own kind; `label` must be there if
 * `describe` counts labels. */
typedef struct {
    const char *name;       /* "images", "molecules": what models and results call it             */
    const char *one, *many; /* of its inputs, in sentences: "conformer", "conformers"             */
    recon_data_info (*describe)(const recon_data *data);
    void (*close)(recon_data *data);
    /* n inputs from the first on, to a batch: what a backbone of this kind takes. */
    void (*read)(void *inputs, const recon_data *data, size_t first, size_t n);
    int64_t (*label)(const recon_data *data, size_t i);
    recon_status (*open)(recon_ctx *ctx, recon_data **out, const char *spec,
                         const recon_data_options *options);
    /* count inputs, chosen by seed, in the order they had; data must outlive them. */
    recon_status (*take)(recon_ctx *ctx, recon_data **out, const recon_data *data, size_t count,
                         uint64_t seed);
    /* The n inputs which[0], which[1] ..., in that order. */
    recon_status (*pick)(recon_ctx *ctx, recon_data **out, const recon_data *data,
                         const size_t *which, size_t n);
    /* Each input rotated by a rule, for trials with a known truth. "all" (SO(2)) or "haar" (SO(3)) is
     * any rotation, by which recon_discover learns what rotations do to embeddings. */
    recon_status (*rotate)(recon_ctx *ctx, recon_data **out, const recon_data *data,
                           const char *rule, uint64_t seed);
    size_t (*origin)(const recon_data *data, size_t i); /* its place in the file it came from */
    const char *(*name_of)(const recon_data *data, size_t i); /* its file or molecule; or NULL   */
    const char *(*skipped)(const recon_data *data, size_t i); /* what was wrong; NULL: not known */
    /* 64 bits of all that input i holds; any thread may ask. NULL: the bytes that `read` leaves are
     * hashed, and must not hold pointers. */
    uint64_t (*hash)(const recon_data *data, size_t i);
} recon_data_kind;

struct recon_data {
    const recon_data_kind *kind;
};

/* What the SPEC names, images or molecules (see dataset.h, molecules.h). options may be NULL. */
RECON_API recon_status recon_data_open(recon_ctx *ctx, recon_data **out, const char *spec,
                                       const recon_data_options *options);
/* The SPEC of what a text names, cut to the room that out has, and out itself: a SPEC as it is; a file
 * or folder with the prefix in front that its name, or what is in it, tells. is_path: the text is a
 * path, even where a known set has that name. */
RECON_API char *recon_data_spec(char *out, size_t room, const char *text, int is_path);
/* Of which kind a SPEC is; of one that names nothing, images. */
RECON_API const recon_data_kind *recon_data_kind_of(const char *spec);
RECON_API void recon_data_close(recon_data *data);
RECON_API recon_data_info recon_data_describe(const recon_data *data);

#endif
