/* recovered.c - see recovered.h. */
#include "lab/recovered.h"

#include <string.h>

static int is_method(const char *key)
{
    static const char *const others[] = { "none", "undo", "upright", "upright_recon",
                                          "upright_gated" };
    const char *last = strrchr(key, '_');
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(key, others[i]))
            return 0;
    return !last || strcmp(last, "_spread") != 0;
}

json_t *recovered_json(const json_t *accuracy, const char *bound)
{
    const json_t *none = json_object_get(accuracy, "none"),
                 *most = json_object_get(accuracy, bound);
    json_t *out = json_object(), *value;
    const char *key;
    if (!json_is_number(none) || !json_is_number(most))
        return out;
    double from = json_number_value(none), lost = json_number_value(most) - from;
    json_object_foreach((json_t *)(size_t)accuracy, key, value)
    {
        double share = (json_number_value(value) - from) / lost;
        if (is_method(key))
            json_object_set_new(out, key,
                                json_is_number(value) && lost > 0 ? json_real(share) : json_null());
    }
    return out;
}
