/* rows.c - the row-wise kernels in double, in plain loops. */
#define RECON_ROWS_IN_DOUBLE
#include "ops/rows/activate.h"
#include "ops/rows/direction.h"
#include "ops/rows/dropout.h"
#include "ops/rows/expand.h"
#include "ops/rows/gather.h"
#include "ops/rows/map.h"
#include "ops/rows/pool.h"
#include "ops/rows/resize.h"
#include "ops/rows/rotate.h"
#include "ops/rows/sparse.h"
