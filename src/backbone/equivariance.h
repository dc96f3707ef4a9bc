/* equivariance.h (private) - what the measures of images and of molecules share. */
#ifndef BACKBONE_EQUIVARIANCE_H
#define BACKBONE_EQUIVARIANCE_H

#include <recon/backbone/equivariance.h>

/* |b - a| / |a|, in double: the difference of codes that hardly change. */
double recon_relative_change(const float *a, const float *b, size_t d);

#endif
