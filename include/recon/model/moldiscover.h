/* moldiscover.h - from a backbone and molecules to a whole model: embed, Algorithm 1, maps; what
 * discover.h is to images.
 *
 * No label is used: which molecule a conformer is of goes into the hit rate of the summary alone.
 */
#ifndef RECON_MODEL_MOLDISCOVER_H
#define RECON_MODEL_MOLDISCOVER_H

#include <recon/model/molmodel.h>
#include <recon/model/source.h>
#include <recon/normalize/normalize.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero in any field means its default. */
typedef struct {
    size_t k;                /* 25                                                              */
    int as_mean;             /* Gamma is the mean that follows, as in the paper, also where a spin
                                is free; else the gauge of recon/normalize/gauge.h              */
    recon_mean_options mean; /* the default is Tukey's                                          */
    recon_maps_options maps;
    recon_precision precision; /* of the backbone                                               */
    int half;                  /* the model is stored as bfloat16: its weights are rounded before
                                  they embed, so that the maps fit what will be opened          */
    int keep_embeddings;       /* z.npy and g.npy are written too                              */
    const char *data;          /* the name of the data, for the model's metadata; NULL: unknown */
    const recon_source
        *source; /* for the summary, so that the data can be opened again; NULL: unknown */
    const recon_metadata_entry *metadata; /* more for the model's file, such as figures         */
    size_t n_metadata;
    /* Writes DIR/report.html, when the other files of the result are in DIR: a page that comes with
     * them in one step. A failure is that of the whole. NULL: none */
    recon_status (*report)(recon_ctx *ctx, void *arg, const char *dir);
    void *report_arg;
} recon_moldiscover_options;

typedef struct {
    size_t points, molecules, k;
    double hit_rate;
    size_t natural[RECON_NATURAL_KINDS]; /* points by verdict, of their neighbours' poses      */
    size_t symmetric;     /* molecules that look the same after a turn (recon_rmsd_turns)      */
    double concentration; /* median of the largest singular value of Theta                     */
    double background;    /* median share of poses that do not belong                          */
    struct {
        double embed, normalize, maps, total;
    } seconds;
    char *summary; /* what summary.json says; free it with recon_moldiscovery_free */
} recon_moldiscovery;

/* Writes into the folder dir, which is made if need be: model.safetensors, natural.npy (Lambda of
 * each point), what recon_frames_write writes, summary.json, and the embeddings if they are kept.
 * They replace an earlier result there as a whole or not at all, as recon_frames_write does. model
 * is what `recon train` wrote. options may be NULL. */
RECON_API recon_status recon_moldiscover(recon_ctx *ctx, recon_moldiscovery *out, const char *model,
                                         const recon_molecules *data, const char *dir,
                                         const recon_moldiscover_options *options);
RECON_API void recon_moldiscovery_free(recon_moldiscovery *discovery);

#ifdef __cplusplus
}
#endif
#endif
