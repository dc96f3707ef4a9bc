/* recovered.h - how much of what a rotation costs a method gives back. */
#ifndef EXPERIMENTS_RECOVERED_H
#define EXPERIMENTS_RECOVERED_H

#include <jansson.h>

/* For each method of an object of accuracies, (method - none) / (undo - none) in percent: 0 is as bad
 * as doing nothing, 100 as good as undoing the true rotation. Where there is no `undo`, `upright`
 * stands in its place. It takes most of the classifier out of a comparison. Entries that are no
 * methods (none, undo, upright, and spreads) are left out; an empty object where nothing is known. */
json_t *recovered_json(const json_t *accuracy);

#endif
