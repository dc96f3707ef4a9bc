/* discovered.h (private) - the files of a discovery, of images and of molecules alike, and the time
 * it took. */
#ifndef MODEL_DISCOVERED_H
#define MODEL_DISCOVERED_H

#include <jansson.h>
#include <recon/normalize/normalize.h>

/* Metadata of a model on SO(3): what its heads learned as labels. The paper's are the moments of the
 * neighbours' poses; a model without this entry learned the gauge and the robust fit. */
#define RECON_DISCOVER_LABELS  "labels"
#define RECON_DISCOVER_MOMENTS "moments"

/* The metadata "mean", where Gamma is no mean but the gauge, which is the same for all of a class. */
#define RECON_MEAN_GAUGE "gauge"

typedef struct {
    const recon_embedded *embedded;
    const recon_frames *frames;
    const char *summary;
    int keep_embeddings;
    recon_status (*report)(recon_ctx *ctx, void *arg, const char *dir); /* NULL: none */
    void *report_arg;
} recon_discovered;

/* Puts the names of the files into a summary, model.safetensors among them. */
void recon_discovered_list(json_t **summary, const recon_discovered *d);

/* Writes natural.npy (natural: Lambda of each point, an angle or a matrix), z.npy and g.npy where
 * they are kept, the frames and the summary, and the report last, which reads the others. dir is a
 * stage (core/folder.h) that has the model. */
recon_status recon_discovered_write(recon_ctx *ctx, const char *dir, const recon_discovered *d,
                                    const double *natural);

/* The time since *then in *seconds; *then becomes now. */
void recon_lap(double *seconds, double *then);

#endif
