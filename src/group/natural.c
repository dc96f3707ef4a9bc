/* natural.c - one, several, modulo, axis or none. */
#include "group/natural.h"
#include "core/json.h"
#include "group/so3/fisher.h"

#define MOST 0.5 /* a background above this share is most of the poses */
#define HELD 0.5 /* mean cosine of the tilt, outliers counted, that an axis must have to be held */

recon_natural recon_so3_natural(const recon_fisher *density, double background)
{
    int free = recon_fisher_free(density);
    if (free > 1 || background > MOST || (1 - background) * density->moment[0] < HELD)
        return RECON_NATURAL_NONE;
    return free == 1 ? RECON_NATURAL_AXIS : RECON_NATURAL_ONE;
}

recon_natural recon_natural_join(recon_natural a, recon_natural b)
{
    static const recon_natural order[] = { RECON_NATURAL_UNSURE, RECON_NATURAL_SEVERAL,
                                           RECON_NATURAL_MODULO, RECON_NATURAL_AXIS,
                                           RECON_NATURAL_NONE };
    if (a == RECON_NATURAL_NONE && b == RECON_NATURAL_NONE)
        return RECON_NATURAL_NONE;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i] == RECON_NATURAL_NONE ? RECON_NATURAL_AXIS : order[i];
    return RECON_NATURAL_ONE;
}

const char *recon_natural_name(recon_natural natural)
{
    static const char *const names[] = {
        "one", "several", "modulo", "axis", "none", "cannot_tell"
    };
    return names[natural];
}

double recon_natural_share(const size_t count[RECON_NATURAL_KINDS], recon_natural kind)
{
    size_t sum = 0;
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        sum += count[i];
    return sum ? (double)count[kind] / (double)sum : 0;
}

json_t *recon_natural_json(const size_t count[RECON_NATURAL_KINDS])
{
    json_t *out = json_object();
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        recon_json_put(&out, recon_natural_name((recon_natural)i),
                       json_real(recon_natural_share(count, (recon_natural)i)));
    return out;
}
