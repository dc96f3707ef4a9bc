/* degrees.h - angles are radians inside and degrees where people read or write them. */
#ifndef CORE_DEGREES_H
#define CORE_DEGREES_H

#define RECON_RADIAN (180 / 3.14159265358979323846) /* in degrees */
#define RECON_DEGREE (3.14159265358979323846 / 180) /* in radians */

#endif
