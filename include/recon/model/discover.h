/* discover.h - makes a complete model of a backbone and inputs: embedding, Algorithm 1, maps.
 *
 * Labels are not used. If the data have labels (classes of images, the molecule of a conformer),
 * the summary gives the results for each label, and how often neighbours share it. */
#ifndef RECON_MODEL_DISCOVER_H
#define RECON_MODEL_DISCOVER_H

#include <recon/backbone/inputs.h>
#include <recon/model/model.h>
#include <recon/model/trust.h>
#include <recon/normalize/normalize.h>

/* The state of a discovery when it writes its files. */
typedef struct recon_discovered recon_discovered;

/* Zero in any field means its default. */
typedef struct {
    size_t k;                /* neighbours in a class; 0: 10 for images, 25 for molecules */
    recon_mean_options mean; /* the default is Tukey's */
    int as_mean;             /* SO(3): Gamma is this mean even if a spin is free, as in the paper */
    recon_so2_family family; /* SO(2): the family whose width Theta is: auto, uniform or normal */
    recon_lambda lambda;     /* the source of the model's Lambda */
    recon_maps_options maps;
    recon_precision precision; /* of the backbone, if `half` makes it necessary to open it again */
    int half; /* store the model in bfloat16; weights are rounded first, so that the maps fit */
    int keep_embeddings; /* write z.npy and g.npy too */
    /* Calibration: the backbone is retrained this many times, each time without one part of the
     * inputs; negative: never; 0: 5 for fewer than 500 inputs. */
    int folds;
    const char *data; /* the name of the data, for the model's metadata; NULL: unknown */
    /* For the summary, so that the data can be opened again; NULL: unknown. */
    const recon_source *source;
    /* The inputs that data belong to: poses.csv uses their names and rows. NULL: the data's own. */
    const recon_inputs *inputs;
    const recon_metadata_entry *metadata; /* more entries for the model's metadata */
    size_t n_metadata;
    /* Called when the other files of the result are in dir, to write dir/report.html; the folder is
     * then replaced in one step (recon_found_report). If it fails, discover fails. May be NULL. */
    recon_status (*report)(recon_ctx *ctx, void *arg, const recon_discovered *found,
                           const char *dir);
    void *report_arg;
    uint64_t reserved[RECON_RESERVED];
} recon_discover_options;

/* A discovery with a model that was made from other inputs asks that, too: which pose it holds for upright is not
 * what these inputs show. */
typedef struct {
    size_t cluster, inputs; /* its number, and how many it has */
    double
        pose[RECON_NUMBERS_MAX]; /* its natural pose, about the one that this model holds for it */
} recon_prior_cluster;

/* Returns by how many degrees; the two differ if it is more than 10. On SO(2) it is below 0 clockwise. */
#define RECON_PRIOR_DIFFERS 10
RECON_API double recon_prior_degrees(const recon_prior_cluster *cluster, const recon_group *group);

typedef struct {
    const char *kind; /* of the data: "images", "molecules" */
    const recon_group *group;
    size_t points, k;
    double hit_rate;                     /* NaN without labels */
    size_t natural[RECON_NATURAL_KINDS]; /* points by the verdict in poses.csv */
    size_t rotated; /* points that canonicalizing rotates by more than 20 degrees */
    /* SO(2); NaN for other groups. Shares are of all points. */
    recon_so2_family family, theta; /* of Algorithm 1, of Theta */
    double several;                 /* share with several natural poses */
    double folded;                  /* share whose natural pose is known modulo 180 degrees */
    double theta_median;            /* radians */
    /* Share with one natural pose whose Lambda, from the model, is more than 45 degrees from Gamma,
     * from the neighbours. */
    double disagree;
    /* SO(3); NaN for other groups. */
    double concentration; /* median of the largest singular value of Theta */
    double background;    /* median share of outlying poses */
    /* Share of points whose similar neighbours have contradictory poses; they never have one pose
     * or an axis. */
    double inconsistent;
    size_t molecules;           /* different molecules */
    size_t symmetric;           /* molecules that look the same after a rotation */
    recon_trust trust;          /* whether the result can be trusted */
    recon_prior_cluster *prior; /* [n_prior] clusters that the model knows upright; NULL: none */
    size_t n_prior;
    size_t folds; /* folds that p-values are calibrated on; 0: on a held-out part of the inputs */
    struct {
        double embed, normalize, maps, folds, total;
    } seconds;
    char *summary; /* the text of summary.json; free it with recon_discovery_free */
} recon_discovery;

/* Runs a discovery and writes to the folder dir, which is created if necessary: model.safetensors,
 * poses.csv and clusters.csv, natural.npy (Lambda of each point), the files of recon_frames_write,
 * summary.json, and the embeddings if requested. An earlier result there is replaced as a whole or
 * not at all, as with recon_frames_write. backbone is the one in the file `model`, written by
 * `recon train`; NULL: it is opened here. options may be NULL. */
RECON_API recon_status recon_discover(recon_ctx *ctx, recon_discovery *out, const char *model,
                                      const recon_backbone *backbone, const recon_data *data,
                                      const char *dir, const recon_discover_options *options);
RECON_API void recon_discovery_free(recon_discovery *discovery);

#endif
