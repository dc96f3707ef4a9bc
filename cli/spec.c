/* spec.c - data and models by the names that people give them: a file or a folder is enough where
 * it says by itself what it is. */
#include "cli/cli.h"
#include "data/dataset.h"
#include "data/flat.h"
#include "data/kinds.h"

#include <assert.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* What was made of a name. A command names few, each option once, and they live as long as it does.
 */
enum { SLOTS = 8 };
static char slots[SLOTS][PATH_MAX + 32];
static size_t used;

static const char *join(const char *before, const char *text, const char *behind)
{
    assert(used < SLOTS);
    char *slot = slots[used++];
    snprintf(slot, sizeof *slots, "%s%s%s", before, text, behind);
    return slot;
}

/* What files are, by how their names end. */
static const struct {
    const char *end, *kind;
} kinds[] = {
    { ".npy", "npy:" },      { ".xyz", "xyz:" },    { ".extxyz", "xyz:" },   { ".sdf", "sdf:" },
    { ".mol", "sdf:" },      { ".amat", "amat:" },  { ".msgpack", "geom:" }, { "-ubyte", "idx:" },
    { "-ubyte.gz", "idx:" }, { ".png", "images:" }, { ".pgm", "images:" },   { ".ppm", "images:" },
};

static int has_molecules(const char *folder)
{
    DIR *dir = opendir(folder);
    int found = 0;
    for (struct dirent *e; dir && !found && (e = readdir(dir));)
        found = e->d_name[0] != '.' &&
                (cli_ends_in(e->d_name, ".xyz") || cli_ends_in(e->d_name, ".extxyz"));
    if (dir)
        closedir(dir);
    return found;
}

static int is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

const char *cli_spec(const char *text)
{
    size_t kind = strcspn(text, ":/");
    if (text[kind] == ':' || recon_data_is(text))
        return text;
    if (is_folder(text))
        return join(recon_flat_is(text)   ? "flat:"
                    : has_molecules(text) ? "xyz:"
                                          : "images:",
                    text, "");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (cli_ends_in(text, kinds[i].end))
            return join(kinds[i].kind, text, "");
    return text;
}

const char *cli_model_file(const char *text)
{
    return is_folder(text) ? join(text, "/model.safetensors", "") : text;
}

int cli_is_other_format(const char *path)
{
    static const char *const ends[] = { ".jpg",  ".jpeg", ".png",  ".tif", ".tiff",       ".gif",
                                        ".webp", ".bmp",  ".pgm",  ".ppm", ".csv",        ".tsv",
                                        ".txt",  ".json", ".xlsx", ".npy", ".npz",        ".xyz",
                                        ".sdf",  ".zip",  ".html", ".pdf", ".safetensors" };
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && !strcasecmp(path + n - strlen(ends[i]), ends[i]))
            return 1;
    return 0;
}
