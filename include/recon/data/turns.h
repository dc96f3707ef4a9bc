/* turns.h - images turned on purpose, each by a fixed angle whose distribution its class decides.
 *
 * So the experiments are made: which poses occur is known, nothing else says it to the method. */
#ifndef RECON_DATA_TURNS_H
#define RECON_DATA_TURNS_H

#include <recon/data/dataset.h>
#include <recon/stats/so2_density.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RECON_TURN_CLASSES = 1024 };

typedef struct {
    recon_so2_family family; /* RECON_SO2_UNIFORM or RECON_SO2_NORMAL; any where width is 0 */
    double width;            /* radians: half-width or sigma about 0; 0: it is not turned   */
} recon_turn;

typedef struct {
    recon_turn other; /* for images without a label and classes from RECON_TURN_CLASSES on */
    recon_turn of[RECON_TURN_CLASSES];
} recon_turn_rule;

/* By name,
 *
 *   mnist     uniform within +-60 degrees for classes 0 to 4, +-90 for 5 to 9
 *   fashion   normal, sigma 0, 32, 64 degrees for classes 0 to 2, 3 to 5, 6 to 9
 *   all       uniform on the whole circle, for every class
 *
 * or from a JSON file, in degrees: the half-width of "uniform", the sigma of "normal". A key is a
 * class or a range of them; who is in none gets the default, and without one is not turned.
 *
 *   { "default": { "uniform": 45 },
 *     "classes": { "0-4": { "uniform": 60 }, "7": { "normal": 32 } } } */
RECON_API recon_status recon_turn_rule_load(recon_ctx *ctx, recon_turn_rule *out,
                                            const char *name_or_path);

/* What holds for a label; -1: none. */
RECON_API recon_turn recon_turn_rule_of(const recon_turn_rule *rule, int32_t label);

/* A new data set, independent of data: each image turned (bilinear) by an angle that seed and its
 * row among all images decide, so that parts of data get what they would have got in the whole.
 * The angles are in recon_dataset_angle; a set that was turned before is turned on. Of a rule that
 * is all zero nothing turns; another family or width than above is RECON_ERR_INPUT. */
RECON_API recon_status recon_dataset_turn(recon_ctx *ctx, recon_dataset **out,
                                          const recon_dataset *data, const recon_turn_rule *rule,
                                          uint64_t seed);
/* The same by a rule's name or file. */
RECON_API recon_status recon_dataset_turn_by(recon_ctx *ctx, recon_dataset **out,
                                             const recon_dataset *data, const char *rule,
                                             uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
