/* shipped.c - where the files lie that come with recon. */
#include "core/shipped.h"
#include "core/fail.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1024 };

void recon_shipped_folder(char *out, size_t room)
{
    static const char here;
    Dl_info info;
    char *real = NULL;
    if (dladdr(&here, &info) && strstr(info.dli_fname, ".so"))
        real = realpath(info.dli_fname, NULL);
    if (!real)
        real = realpath("/proc/self/exe", NULL);
    snprintf(out, room, "%s", real && strlen(real) < room ? real : "./.");
    free(real);
    *strrchr(out, '/') = '\0';
}

/* Whether BEFORE MIDDLE KIND/NAME is there; its path to out. */
static int is_at(char *out, size_t room, const char *before, const char *middle, const char *kind,
                 const char *name)
{
    int n = snprintf(out, room, "%s%s%s/%s", before, middle, kind, name);
    return n > 0 && (size_t)n < room && access(out, F_OK) == 0;
}

/* Whether KIND/NAME is anywhere; its path to out. */
static int find(char *out, size_t room, const char *own, const char *kind, const char *name)
{
    const char *chosen = strcmp(kind, "data") ? NULL : getenv("RECON_DATA");
    const char *const places[][2] = { { "", "" },   /* here */
                                      { own, "/" }, /* an installed Python package */
                                      { own, "/../" },
                                      { own, "/../share/recon/" },
                                      { "/usr/local/share/recon/", "" },
                                      { "/usr/share/recon/", "" } };
    int found = chosen && is_at(out, room, chosen, "", "", name);
    for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++)
        found = is_at(out, room, places[i][0], places[i][1], kind, name);
    return found;
}

/* Where find() looks, for messages. */
typedef char places_text[3 * PATH + 128];
static const char *name_places(places_text out, const char *kind)
{
    char own[PATH];
    recon_shipped_folder(own, sizeof own);
    snprintf(out, sizeof(places_text),
             "here%s, in %s, %s/.., %s/../share/recon, /usr/local/share/recon and /usr/share/recon",
             strcmp(kind, "data") ? "" : ", in $RECON_DATA", own, own, own);
    return out;
}

recon_status recon_shipped_find(recon_ctx *ctx, char *out, size_t room, const char *kind,
                                const char *name, const char *remedy)
{
    char own[PATH];
    recon_shipped_folder(own, sizeof own);
    if (find(out, room, own, kind, name))
        return RECON_OK;
    places_text places;
    return recon_fail(ctx, RECON_ERR_IO, "%s/%s not found (looked %s): %s", kind, name,
                      name_places(places, kind), remedy);
}

/* The model that path names where there is no such file: of NAME or models/NAME,
 * NAME; else NULL. */
static const char *model_name(const char *path)
{
    const char *name = strncmp(path, "models/", 7) ? path : path + 7;
    return access(path, F_OK) == 0 || *name == '\0' || strchr(name, '/') ? NULL : name;
}

const char *recon_shipped_model(char *out, size_t room, const char *path)
{
    const char *name = model_name(path);
    char own[PATH], file[PATH];
    if (!name)
        return path;
    recon_shipped_folder(own, sizeof own);
    snprintf(file, sizeof file, "%s.safetensors", name);
    return find(out, room, own, "models", name) || find(out, room, own, "models", file) ? out
                                                                                        : path;
}

recon_status recon_shipped_note(recon_ctx *ctx, recon_status status, const char *path)
{
    places_text places;
    if (!model_name(path))
        return status;
    return recon_note(ctx, status, "no model of that name comes with recon either: looked %s",
                      name_places(places, "models"));
}
