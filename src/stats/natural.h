/* natural.h (private) - counts of natural poses for a summary. */
#ifndef STATS_NATURAL_H
#define STATS_NATURAL_H

#include <jansson.h>
#include <recon/stats/natural.h>

/* The share of each kind by its name. Nothing counted: all 0. */
json_t *recon_natural_json(const size_t count[RECON_NATURAL_KINDS]);

/* The same of one kind. */
double recon_natural_share(const size_t count[RECON_NATURAL_KINDS], recon_natural kind);

#endif
