/* natural.c - one, several, modulo, axis or none. */
#include "stats/natural.h"
#include "core/json.h"

#define MOST 0.5 /* a background above this share is most of the poses */

recon_natural recon_so2_natural(const double moment[RECON_SO2_MOMENTS], int modes, double n)
{
    int fold = recon_so2_fold_of_samples(moment, n);
    if (fold != 1)
        return fold == 0 ? RECON_NATURAL_NONE : RECON_NATURAL_MODULO;
    return modes > 1 ? RECON_NATURAL_SEVERAL : RECON_NATURAL_ONE;
}

recon_natural recon_so3_natural(int free_directions, int modes, double background)
{
    if (free_directions > 1 || background > MOST)
        return RECON_NATURAL_NONE;
    if (modes > 1)
        return RECON_NATURAL_SEVERAL;
    return free_directions == 1 ? RECON_NATURAL_AXIS : RECON_NATURAL_ONE;
}

const char *recon_natural_name(recon_natural natural)
{
    static const char *const names[] = { "one", "several", "modulo", "axis", "none" };
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
