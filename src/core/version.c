/* version.c - the version, and what this build was made with. */
#include <recon/core/version.h>

#ifdef RECON_HAVE_OPENBLAS
#define OPENBLAS 1
#else
#define OPENBLAS 0
#endif
#ifdef RECON_HAVE_DNNL
#define DNNL 1
#else
#define DNNL 0
#endif
#ifdef RECON_HAVE_FAISS
#define FAISS 1
#else
#define FAISS 0
#endif
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

static const recon_library libraries[] = {
    { "OpenBLAS", "matrix products by oneDNN, or by plain loops", OPENBLAS },
    { "oneDNN", "convolutions by matrix products and plain loops, slowly", DNNL },
    { "FAISS", "no approximate search for neighbours", FAISS },
    { "libpng", "no PNG files", PNG },
    { "libjpeg", "no JPEG files", JPEG },
    { "libtiff", "no TIFF files", TIFF },
    { "FreeType", "no letters to draw, for `recon reproduce letters`", FREETYPE },
    { "CUDA", "no GPU", CUDA },
};

const char *recon_version(void)
{
    return RECON_VERSION;
}

recon_library recon_version_library(size_t i)
{
    return i < sizeof libraries / sizeof *libraries ? libraries[i] : (recon_library){ 0 };
}
