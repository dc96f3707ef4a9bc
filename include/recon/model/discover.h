/* discover.h - from a backbone and images to a whole model: embed, Algorithm 1, maps.
 *
 * No label is used. Where the data have labels, the summary says how the readings differ between
 * them, and how often neighbours share them. */
#ifndef RECON_MODEL_DISCOVER_H
#define RECON_MODEL_DISCOVER_H

#include <recon/model/model.h>
#include <recon/model/source.h>
#include <recon/data/dataset.h>
#include <recon/normalize/normalize.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero in any field means its default. */
typedef struct {
    size_t k; /* 10 */
    recon_mean_options mean;
    recon_so2_family family; /* what Theta is the width of: auto, uniform or normal            */
    recon_maps_options maps;
    recon_precision precision; /* of the backbone's convolutions                               */
    int half;                  /* the model is stored as bfloat16: its weights are rounded before
                                  they embed, so that the maps fit what will be opened          */
    int keep_embeddings;       /* z.npy and g.npy are written too                              */
    const char *data;          /* the name of the data, for the model's metadata; NULL: unknown */
    const recon_source
        *source; /* for the summary, so that the data can be opened again; NULL: unknown */
    const recon_metadata_entry *metadata; /* more for the model's file, such as figures        */
    size_t n_metadata;
    /* Writes DIR/report.html, when the other files of the result are in DIR: a page that comes with
     * them in one step. A failure is that of the whole. NULL: none */
    recon_status (*report)(recon_ctx *ctx, void *arg, const char *dir);
    void *report_arg;
} recon_discover_options;

typedef struct {
    size_t points, k;
    recon_so2_family family, theta;      /* of Algorithm 1, of Theta                              */
    double hit_rate;                     /* NaN without labels                                    */
    double several;                      /* share of points with several natural poses            */
    double folded;                       /* share whose natural pose is known modulo 180 degrees  */
    double theta_median;                 /* radians                                               */
    size_t natural[RECON_NATURAL_KINDS]; /* points by verdict, of their neighbours' poses   */
    struct {
        double embed, normalize, maps, total;
    } seconds;
    char *summary; /* what summary.json says; free it with recon_discovery_free */
} recon_discovery;

/* Writes into the folder dir, which is made if need be: model.safetensors, natural.npy (Lambda of
 * each point), what recon_frames_write writes, summary.json, and the embeddings if they are kept.
 * They replace an earlier result there as a whole or not at all, as recon_frames_write does. model
 * is what `recon train` wrote. options may be NULL. */
RECON_API recon_status recon_discover(recon_ctx *ctx, recon_discovery *out, const char *model,
                                      const recon_dataset *data, const char *dir,
                                      const recon_discover_options *options);
RECON_API void recon_discovery_free(recon_discovery *discovery);

#ifdef __cplusplus
}
#endif
#endif
