/* shipped.c - finds the files that come with recon. */
#include "core/shipped.h"
#include "core/fail.h"
#include "core/prefix.h"
#include "core/text.h"

#include <dirent.h>
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

/* The folder of files of a kind in the i-th place where they may lie; 0: there are no more. */
static int folder_at(char *out, size_t room, size_t i, const char *own, const char *kind)
{
    const char *const places[][2] = { { "", "" },   /* here */
                                      { own, "/" }, /* an installed Python package */
                                      { own, "/../" },
                                      { own, "/../share/recon/" },
                                      { recon_prefix, "/share/recon/" },
                                      { "/usr/share/recon/", "" } };
    if (i >= sizeof places / sizeof *places)
        return 0;
    snprintf(out, room, "%s%s%s", places[i][0], places[i][1], kind);
    return 1;
}

/* Whether FOLDER/NAME is there; its path to out. */
static int is_at(char *out, size_t room, const char *folder, const char *name)
{
    int n = snprintf(out, room, "%s/%s", folder, name);
    return n > 0 && (size_t)n < room && access(out, F_OK) == 0;
}

/* Whether KIND/NAME is anywhere; its path to out. */
static int find(char *out, size_t room, const char *own, const char *kind, const char *name)
{
    const char *chosen = strcmp(kind, "data") ? NULL : getenv("RECON_DATA");
    char folder[2 * PATH];
    int found = chosen && is_at(out, room, chosen, name);
    for (size_t i = 0; !found && folder_at(folder, sizeof folder, i, own, kind); i++)
        found = is_at(out, room, folder, name);
    return found;
}

/* Where find() looks, for messages. */
typedef char places_text[3 * PATH + 128];
static const char *name_places(places_text out, const char *kind)
{
    char own[PATH];
    recon_shipped_folder(own, sizeof own);
    snprintf(out, sizeof(places_text),
             "here%s, in %s, %s/.., %s/../share/recon, %s/share/recon and /usr/share/recon",
             strcmp(kind, "data") ? "" : ", in $RECON_DATA", own, own, own, recon_prefix);
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

/* Whether a file is a whole model, which has maps: that stands in its first lines. */
static int has_maps(const char *path)
{
    char head[4096];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f)
        fclose(f);
    return n > 0 && memmem(head, n, "\"maps\":\"", 8) != NULL;
}

/* Names of the models that lie where recon_shipped_model looks. */
enum { NAME = sizeof(recon_shipped_name), MOST = RECON_SHIPPED_MOST };
typedef struct {
    recon_shipped_name near;        /* what may have been meant; "": nothing was */
    recon_shipped_name whole[MOST]; /* complete models, sorted: those to be opened with */
    size_t n;
} model_names;

static void put_whole(model_names *out, const char *name)
{
    size_t at = 0;
    while (at < out->n && strcmp(out->whole[at], name) < 0)
        at++;
    if (out->n == MOST || (at < out->n && !strcmp(out->whole[at], name)))
        return;
    memmove(out->whole[at + 1], out->whole[at], (out->n++ - at) * sizeof *out->whole);
    memcpy(out->whole[at], name, NAME);
}

static void read_names(model_names *out, const char *folder, const char *asked)
{
    static const char end[] = ".safetensors";
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name), stem = n - (sizeof end - 1);
        char name[NAME] = "", path[3 * PATH];
        if (n < sizeof end || stem >= NAME || strcmp(e->d_name + stem, end))
            continue;
        memcpy(name, e->d_name, stem);
        if (recon_resembles(asked, name))
            memcpy(out->near, name, NAME);
        if (is_at(path, sizeof path, folder, e->d_name) && has_maps(path))
            put_whole(out, name);
    }
    if (dir)
        closedir(dir);
}

static void read_all_names(model_names *out, const char *asked)
{
    char own[PATH], folder[2 * PATH];
    *out = (model_names){ .near = "" };
    recon_shipped_folder(own, sizeof own);
    for (size_t i = 0; folder_at(folder, sizeof folder, i, own, "models"); i++)
        read_names(out, folder, asked);
}

size_t recon_shipped_models(recon_shipped_name out[RECON_SHIPPED_MOST])
{
    model_names names;
    read_all_names(&names, "");
    memcpy(out, names.whole, names.n * sizeof *out);
    return names.n;
}

recon_status recon_shipped_note(recon_ctx *ctx, recon_status status, const char *path)
{
    model_names names;
    const char *asked = model_name(path);
    char list[MOST * (NAME + 2)] = "";
    places_text places;
    if (!asked)
        return status;
    read_all_names(&names, asked);
    if (names.n == 0)
        return recon_note(ctx, status, "no model of that name comes with recon either: looked %s",
                          name_places(places, "models"));
    for (size_t i = 0, at = 0; i < names.n; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", names.whole[i]);
    return recon_note(ctx, status, "%s%s%sthe models that come with recon are %s",
                      *names.near ? "did you mean " : "", names.near, *names.near ? "? " : "",
                      list);
}
