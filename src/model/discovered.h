/* discovered.h (private) - the files of a discovery, of images and of molecules alike, and the time
 * it took. */
#ifndef MODEL_DISCOVERED_H
#define MODEL_DISCOVERED_H

#include <jansson.h>
#include <recon/model/discover.h>

/* Metadata of a model on SO(3): what its heads learned as labels. The paper's are the moments of the
 * neighbours' poses; a model without this entry learned the gauge and the robust fit. */
#define RECON_DISCOVER_LABELS  "labels"
#define RECON_DISCOVER_MOMENTS "moments"

/* The metadata "mean", where Gamma is no mean but the gauge, which is the same for all of a class. */
#define RECON_MEAN_GAUGE "gauge"

struct recon_discovered {
    const recon_embedded *embedded;
    const recon_frames *frames;
    const double *natural; /* Lambda of each point */
    json_t *summary;
    const char *text; /* of the summary */
    int keep_embeddings;
    int has_report; /* whoever writes these files adds one */
};

/* Puts the names of the files into a summary, model.safetensors among them. */
void recon_discovered_list(json_t **summary, const recon_discovered *d);

/* Writes natural.npy, z.npy and g.npy where they are kept, the frames and the summary. dir is a
 * stage (core/folder.h). */
recon_status recon_discovered_write(recon_ctx *ctx, const char *dir, const recon_discovered *d);

/* The time since *then in *seconds; *then becomes now. */
void recon_lap(double *seconds, double *then);

#endif
