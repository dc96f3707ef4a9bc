/* tukey.h - the Tukey mean of sorted angles whose modes are known. */
#ifndef GROUP_SO2_TUKEY_H
#define GROUP_SO2_TUKEY_H

#include "group/so2/modes.h"

/* *c > 0 is kept; 0 is decided here, and stays 0 where the answer is that of one mode. */
double recon_so2_tukey(double *c, const double *sorted, size_t n, const recon_so2_modes *modes,
                       double one);

#endif
