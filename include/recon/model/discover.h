/* discover.h - from a backbone and inputs to a complete model: embedding, Algorithm 1, maps.
 *
 * Labels are not used. If the data have labels (classes of images, the molecule of a conformer),
 * the summary reports the results for each, and how often neighbours share them. */
#ifndef RECON_MODEL_DISCOVER_H
#define RECON_MODEL_DISCOVER_H

#include <recon/backbone/inputs.h>
#include <recon/model/model.h>
#include <recon/model/trust.h>
#include <recon/normalize/normalize.h>

/* What a discovery holds when its files are written. */
typedef struct recon_discovered recon_discovered;

/* Zero in any field means its default. */
typedef struct {
    size_t k; /* neighbours of a class: 10 for images, 25 for molecules             */
    recon_mean_options mean; /* the default is Tukey's */
    int as_mean; /* SO(3): Gamma is that mean, as in the paper, also where a spin is free;
                    else recon_frames_gauge                                            */
    recon_so2_family family; /* SO(2): what Theta is the width of: auto, uniform or normal */
    recon_lambda lambda;     /* where the model's Lambda comes from                        */
    recon_maps_options maps;
    recon_precision precision; /* of the backbone, where it is opened again because of `half` */
    int half;                  /* the model is stored as bfloat16: its weights are rounded before
                                  they embed, so that the maps fit what will be opened             */
    int keep_embeddings;       /* z.npy and g.npy are written too                                 */
    int folds;        /* calibration: the backbone is trained anew so many times, each time without
                         one part of the inputs; negative: never, 0: 5 below 500 inputs        */
    const char *data; /* the name of the data, for the model's metadata; NULL: unknown    */
    /* For the summary, so that the data can be opened again; NULL: unknown. */
    const recon_source *source;
    /* Those that the data are in use of: what poses.csv calls them and how it counts them. NULL: as the
     * data do. */
    const recon_inputs *inputs;
    const recon_metadata_entry *metadata; /* more for the model's file, such as figures */
    size_t n_metadata;
    /* Writes DIR/report.html, when the other files of the result are in DIR: a page that comes with
     * them in one step (recon_found_report). A failure is that of the whole. NULL: none */
    recon_status (*report)(recon_ctx *ctx, void *arg, const recon_discovered *found,
                           const char *dir);
    void *report_arg;
    uint64_t reserved[RECON_RESERVED];
} recon_discover_options;

typedef struct {
    const char *kind; /* of the data: "images", "molecules"                                     */
    const recon_group *group;
    size_t points, k;
    double hit_rate;                     /* NaN without labels                                  */
    size_t natural[RECON_NATURAL_KINDS]; /* points by verdict, of their neighbours' poses       */
    size_t rotated;                      /* points that canonicalizing rotates by over 20 deg   */
    /* SO(2); NaN for other groups. */
    recon_so2_family family, theta; /* of Algorithm 1, of Theta                                 */
    double several;                 /* share of points with several natural poses               */
    double folded;                  /* share whose natural pose is known modulo 180 degrees     */
    double theta_median;            /* radians                                                  */
    double disagree; /* share with one natural pose whose Lambda, as the model has it, is more
                        than 45 degrees from Gamma, as the neighbours have it                   */
    /* SO(3); NaN for other groups. */
    double concentration; /* median of the largest singular value of Theta                      */
    double background;    /* median share of poses that do not belong                           */
    double inconsistent;  /* share of points with alike neighbours of unlike poses: one pose or an
                             axis is not claimed there                                          */
    size_t molecules;  /* different ones                                                         */
    size_t symmetric;  /* those that look the same after a rotation */
    recon_trust trust; /* can it be trusted?                                                   */
    size_t folds;      /* by which p-values are calibrated; 0: on a part of the inputs           */
    struct {
        double embed, normalize, maps, folds, total;
    } seconds;
    char *summary; /* what summary.json says; free it with recon_discovery_free */
} recon_discovery;

/* Writes to the folder dir, which is created if necessary: model.safetensors, natural.npy (Lambda
 * of each point), the files of recon_frames_write, summary.json, and the embeddings if requested.
 * An earlier result there is replaced as a whole or not at all, as with recon_frames_write.
 * backbone is that of the file `model`, written by `recon train`; NULL: it is opened here. options
 * may be NULL. */
RECON_API recon_status recon_discover(recon_ctx *ctx, recon_discovery *out, const char *model,
                                      const recon_backbone *backbone, const recon_data *data,
                                      const char *dir, const recon_discover_options *options);
RECON_API void recon_discovery_free(recon_discovery *discovery);

#endif
