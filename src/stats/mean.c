/* mean.c - the means by name. */
#include <recon/stats/mean.h>

const char *recon_mean_name(recon_mean_kind kind)
{
    return kind == RECON_MEAN_TUKEY ? "tukey" : kind == RECON_MEAN_FRECHET ? "frechet" : "chordal";
}
