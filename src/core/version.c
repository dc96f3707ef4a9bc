/* version.c - the version, and the libraries that are there. */
#include "core/plugin.h"
#include <recon/core/version.h>

#ifdef RECON_HAVE_PNG
#define PNG 1
#else
#define PNG 0
#endif
#ifdef RECON_HAVE_JPEG
#define JPEG 1
#else
#define JPEG 0
#endif
#ifdef RECON_HAVE_TIFF
#define TIFF 1
#else
#define TIFF 0
#endif
#ifdef RECON_HAVE_FREETYPE
#define FREETYPE 1
#else
#define FREETYPE 0
#endif
#ifdef RECON_HAVE_CUDA
#define CUDA 1
#else
#define CUDA 0
#endif

/* Part of the build, or a plug-in. */
static const struct {
    const char *name, *without;
    int built, plugin; /* a recon_plugin_id; -1: none */
} libraries[] = {
    { "oneDNN", "convolutions by OpenBLAS, or by plain loops", 0, RECON_PLUGIN_ONEDNN },
    { "OpenBLAS", "matrix products by oneDNN, or by plain loops", 0, RECON_PLUGIN_BLAS },
    { "FAISS", "no approximate search for neighbours", 0, RECON_PLUGIN_FAISS },
    { "Open MPI", "no ranks under its mpirun", 0, RECON_PLUGIN_OPENMPI },
    { "MPICH", "no ranks under its mpirun", 0, RECON_PLUGIN_MPICH },
    { "libpng", "no PNG files", PNG, -1 },
    { "libjpeg", "no JPEG files", JPEG, -1 },
    { "libtiff", "no TIFF files", TIFF, -1 },
    { "FreeType", "no letters to draw, for `recon reproduce letters`", FREETYPE, -1 },
    { "CUDA", "no GPU", CUDA, -1 },
};

const char *recon_version(void)
{
    return RECON_VERSION;
}

/* An MPI is loaded by its launcher alone: of its plug-in only the file is looked for. */
recon_library recon_version_library(size_t i)
{
    char path[1200];
    if (i >= sizeof libraries / sizeof *libraries)
        return (recon_library){ 0 };
    recon_library found = { .name = libraries[i].name,
                            .without = libraries[i].without,
                            .present = libraries[i].built };
    recon_plugin_id id = (recon_plugin_id)libraries[i].plugin;
    if (id == RECON_PLUGIN_OPENMPI || id == RECON_PLUGIN_MPICH)
        found.present = recon_plugin_find(path, sizeof path, id);
    else if (libraries[i].plugin >= 0) {
        const recon_plugin *plugin = recon_plugin_get(id);
        found.present = plugin != NULL;
        found.version = plugin ? plugin->version : NULL;
        found.problem = plugin ? NULL : recon_plugin_problem(id);
    }
    return found;
}
