/* source.h (private) - the source as summary.json has it. */
#ifndef MODEL_SOURCE_H
#define MODEL_SOURCE_H

#include <jansson.h>
#include <recon/model/discover.h>

/* "source" of *out: spec, rotate, rotate_seed, seed, limit, size, skip_bad, picture_most, not_read,
 * transparent; what was not said is left out, and so is the whole where the source is NULL or its
 * spec is not UTF-8. As recon_json_put. */
void recon_source_add(json_t **out, const recon_source *source);

#endif
