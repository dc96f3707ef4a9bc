/* summary.h (private) - what was discovered, in numbers: the text of summary.json. */
#ifndef MODEL_SUMMARY_H
#define MODEL_SUMMARY_H

#include <recon/model/discover.h>

typedef struct {
    const recon_discover_options *options;
    const recon_embedded *embedded;
    const recon_frames *frames;
    const recon_so2_map *maps; /* [rows] of the same points */
    const char *backend;
} recon_findings;

/* Fills in everything of out but the seconds, which it reads. */
recon_status recon_summarize(recon_ctx *ctx, recon_discovery *out, const recon_findings *f);

#endif
