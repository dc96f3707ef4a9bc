/* recovered.h - how much of what a rotation costs a method gives back. */
#ifndef LAB_RECOVERED_H
#define LAB_RECOVERED_H

#include <jansson.h>

/* For each method of an object of accuracies, the share (method - none) / (bound - none): 0 is as bad as
 * doing nothing, 1 as good as the bound, "undo" (the true rotation undone) or "upright". It takes most
 * of the classifier out of a comparison. Entries that are no methods on rotated inputs (none,
 * undo, those of upright inputs, and spreads) are left out, and null stays null; an empty object where
 * nothing is known. */
json_t *recovered_json(const json_t *accuracy, const char *bound);

#endif
