/* rotations.h - images rotated on purpose, each by a fixed angle from the distribution of its class.
 *
 * The experiments use this: the true poses are known, but the method does not see them. */
#ifndef RECON_DATA_ROTATIONS_H
#define RECON_DATA_ROTATIONS_H

#include <recon/data/dataset.h>
#include <recon/stats/so2_density.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RECON_ROTATION_CLASSES = 1024 };

typedef struct {
    recon_so2_family family; /* RECON_SO2_UNIFORM or RECON_SO2_NORMAL; any where width is 0 */
    double width;            /* radians: half-width or sigma about 0; 0: it is not rotated   */
} recon_rotation_law;

typedef struct {
    /* For images without a label and classes from RECON_ROTATION_CLASSES on. */
    recon_rotation_law other;
    recon_rotation_law of[RECON_ROTATION_CLASSES];
} recon_rotation_rule;

/* By name,
 *
 *   mnist     uniform within +-60 degrees for classes 0 to 4, +-90 for 5 to 9
 *   fashion   normal, sigma 0, 32, 64 degrees for classes 0 to 2, 3 to 5, 6 to 9
 *   all       uniform on the whole circle, for every class
 *
 * or from a JSON file, in degrees: the half-width of "uniform", the sigma of "normal". A key is a
 * class or a range of classes. Classes not listed use the default; without one they are not
 * rotated.
 *
 *   { "default": { "uniform": 45 },
 *     "classes": { "0-4": { "uniform": 60 }, "7": { "normal": 32 } } } */
RECON_API recon_status recon_rotation_rule_load(recon_ctx *ctx, recon_rotation_rule *out,
                                                const char *name_or_path);

/* The law of a label; -1: no label. */
RECON_API recon_rotation_law recon_rotation_rule_of(const recon_rotation_rule *rule, int32_t label);

/* A new data set, independent of data: each image rotated (bilinear) by an angle that seed and its
 * row among all images determine, so subsets get the same angles as the whole set. The angles are
 * in recon_dataset_angle; a set that was rotated before is rotated further. A rule of zeros rotates
 * nothing; a family or width other than above is RECON_ERR_INPUT. */
RECON_API recon_status recon_dataset_rotate(recon_ctx *ctx, recon_dataset **out,
                                            const recon_dataset *data,
                                            const recon_rotation_rule *rule, uint64_t seed);
/* The same by a rule's name or file. */
RECON_API recon_status recon_dataset_rotate_by(recon_ctx *ctx, recon_dataset **out,
                                               const recon_dataset *data, const char *rule,
                                               uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
