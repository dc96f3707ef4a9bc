/* spec.c - resolves names of data and models; a file or a folder is enough if its kind can be
 * inferred. */
#include "cli/cli.h"
#include "core/fail.h"
#include "core/picture.h"
#include "data/dataset.h"
#include "data/formats.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* What was made of a name, which lives as long as the command: each option is named once, and `upright` takes
 * 256 paths. */
enum { SLOTS = 264 };
static char slots[SLOTS][PATH_MAX + 32];
static size_t used;

static char *slot(void)
{
    assert(used < SLOTS);
    return slots[used++];
}

static int is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

const char *cli_spec(const char *text)
{
    char spec[sizeof *slots];
    recon_data_spec(spec, sizeof spec, text, 0);
    return strcmp(spec, text) ? strcpy(slot(), spec) : text;
}

const char *cli_model_file(const char *text)
{
    if (!is_folder(text))
        return text;
    char *path = slot();
    snprintf(path, sizeof *slots, "%s/model.safetensors", text);
    return path;
}

int cli_is_other_format(const char *path)
{
    static const char *const ends[] = { ".csv", ".tsv", ".txt",  ".json", ".xlsx",
                                        ".npz", ".zip", ".html", ".pdf",  ".safetensors" };
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && !strcasecmp(path + n - strlen(ends[i]), ends[i]))
            return 1;
    return recon_picture_ending_of(path) || recon_format_of_file(path);
}

/* Where a path leads, or will: of one that is not there yet, as its folder does. */
static int resolve(char out[PATH_MAX], const char *path)
{
    char folder[PATH_MAX];
    if (realpath(path, out))
        return 1;
    snprintf(folder, sizeof folder, "%s", path);
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/';)
        folder[--n] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    return realpath(slash ? folder : ".", out) != NULL;
}

/* A file of molecules may be one of the folder that they come from, and a folder among the pictures
 * would be a class of them from then on. */
recon_status cli_keep_apart(recon_ctx *ctx, const char *spec, const char *out)
{
    const char *colon = strchr(spec, ':');
    int pictures = recon_images_folder(spec) && !cli_ends_in(out, ".npy");
    char from[PATH_MAX], to[PATH_MAX];
    if (!colon || !realpath(colon + 1, from) ||
        !(pictures ? resolve(to, out) : realpath(out, to) != NULL))
        return RECON_OK;
    size_t n = strlen(from);
    int inside = !strncmp(from, to, n) && to[n] == '/' &&
                 (pictures || strcmp(recon_data_kind_of(spec)->name, "images"));
    if (strcmp(from, to) && !inside)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: this is the input; choose another --out", out);
}
