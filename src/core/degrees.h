/* degrees.h - radians inside, degrees for people. */
#ifndef CORE_DEGREES_H
#define CORE_DEGREES_H

#define RECON_TO_DEGREES (180 / 3.14159265358979323846) /* of one radian */
#define RECON_TO_RADIANS (3.14159265358979323846 / 180) /* of one degree */

#endif
