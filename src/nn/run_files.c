/* run_files.c - names, and what must not be lost. */
#include "nn/run_files.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/settings.h"

#include <recon/core/safetensors.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

recon_status recon_run_file(recon_ctx *ctx, char **out, const char *path, const char *ending)
{
    size_t room = path ? strlen(path) + strlen(ending) + 1 : 0;
    *out = NULL;
    recon_status status = path ? recon_alloc(ctx, out, room, 1) : RECON_OK;
    if (path && status == RECON_OK)
        snprintf(*out, room, "%s%s", path, ending);
    return status;
}

enum { LONGEST = 4096 }; /* what a system takes as a path */

static int is_there(const char *path, const char *ending)
{
    char name[LONGEST + 32];
    int n = snprintf(name, sizeof name, "%s%s", path, ending);
    return n > 0 && (size_t)n < sizeof name && access(name, F_OK) == 0;
}

const char *recon_run_refusal(char *out, size_t room, const char *path, int resume, int overwrite,
                              recon_spelling spelling)
{
    static const char *const endings[] = { RECON_FILE_LAST, RECON_FILE_STAGE RECON_FILE_LAST, "" };
    enum { COUNT = sizeof endings / sizeof *endings };
    int i = 0;
    while (path && i < COUNT && !is_there(path, endings[i]))
        i++;
    if (!path || i == COUNT || overwrite || (resume && i < COUNT - 1))
        return NULL;
    char spelled[200];
    const char *fmt =
        resume ? "%s exists, but not %s" RECON_FILE_LAST
                 ", from which {resume=true} continues: {overwrite=true} replaces it"
               : "%s%s exists: {resume=true} continues that run, {overwrite=true} replaces it";
    snprintf(out, room, recon_spell(spelled, sizeof spelled, fmt, spelling), path,
             resume ? path : endings[i]);
    return out;
}

recon_status recon_run_check(recon_ctx *ctx, const char *path, int resume, int overwrite)
{
    char why[2 * LONGEST];
    return recon_run_refusal(why, sizeof why, path, resume, overwrite, ctx->options.spelling)
               ? recon_fail(ctx, RECON_ERR_INPUT, "%s", why)
               : RECON_OK;
}

/* Of one checkpoint. */
static recon_status read_number(recon_ctx *ctx, size_t *out, const char *path, const char *ending,
                                const char *name)
{
    recon_safetensors *file = NULL;
    const char *line;
    char *last = NULL;
    recon_status status = RECON_OK;
    if (!is_there(path, ending))
        return RECON_OK;
    RECON_TRY(recon_run_file(ctx, &last, path, ending));
    RECON_TRY(recon_safetensors_open(ctx, &file, last));
    line = recon_safetensors_metadata(file, "settings");
    *out = line ? recon_settings_number(line, name, *out) : *out;
done:
    recon_safetensors_close(file);
    free(last);
    return status;
}

recon_status recon_run_setting(recon_ctx *ctx, size_t *out, const char *path, const char *name)
{
    recon_status status = RECON_OK;
    if (!path)
        return RECON_OK;
    RECON_TRY(read_number(ctx, out, path, RECON_FILE_STAGE RECON_FILE_LAST, name));
    RECON_TRY(read_number(ctx, out, path, RECON_FILE_LAST, name));
done:
    return status;
}
