/* blocks.h (private) - the block size of every loop that works in blocks.
 *
 * Tests cover the borders of each: one less than a block, a block, one more, and one more than two
 * blocks; tools/check-layers verifies that there is such a test. Two block sizes are in the header
 * of their kernels: RECON_RUN (ops/cpu/elements.h) and RECON_TILE (knn/tiles.h). */
#ifndef CORE_BLOCKS_H
#define CORE_BLOCKS_H

enum {
    /* core */
    RECON_BLOCK_ARRAY = 64,     /* numbers to convert; the side of a block to transpose */
    RECON_BLOCK_JPEG = 1 << 16, /* bytes of a file */
    /* ops */
    RECON_BLOCK_SUMS = 4096,   /* numbers to sum over ranks and slices */
    RECON_BLOCK_COLUMNS = 256, /* columns whose sums fit into the first-level cache */
    RECON_BLOCK_ROWS = 32,     /* rows to sum in float */
    RECON_BLOCK_GEMM_M = 512,  /* rows of a product, and */
    RECON_BLOCK_GEMM_N = 1024, /* its columns, in one task */
    RECON_BLOCK_TOPK = 64,     /* scores to compare with the worst of a list */
    RECON_BLOCK_CONV = 2048,   /* pixels of a task: sums of weight gradients cost a few percent */
    RECON_BLOCK_PATCHES = 256, /* pixels */
    RECON_BLOCK_STEER = 192,   /* pixels; more do not make products faster */
    RECON_BLOCK_COUPLE = 64,   /* rows */
    RECON_BLOCK_PAIRS = 64,    /* molecules, whose gradients are added one after the other */
    /* stats, knn, nn */
    RECON_BLOCK_MEANS = 64,    /* sets of angles */
    RECON_BLOCK_FITS = 16,     /* sets of angles to fit densities to */
    RECON_BLOCK_POINTS = 1024, /* rows to prepare */
    RECON_BLOCK_FAISS = 4096,  /* queries for one call of FAISS */
    RECON_BLOCK_FISHER = 32,   /* rows of a loss */
    /* data, backbone */
    RECON_BLOCK_PIXELS = 64,       /* pixels of a row of a picture to rotate */
    RECON_BLOCK_ROTATE = 16,       /* images to rotate */
    RECON_BLOCK_IDENTITY = 16,     /* inputs, or pieces of an array, to hash */
    RECON_BLOCK_PIECE = 4096,      /* bytes of such a piece */
    RECON_BLOCK_EMBED = 1024,      /* inputs of a pass */
    RECON_BLOCK_EMBED_LARGE = 256, /* large inputs of a pass */
    RECON_BLOCK_IMAGES = 256,      /* images of a pass on a CPU */
    RECON_BLOCK_VALIDATION = 250,  /* the most images of a pass of validation or a classifier */
    RECON_BLOCK_GCN = 128,         /* molecules of a pass */
    RECON_BLOCK_GRAPHS = 1024,     /* conformers to build graphs of */
    RECON_BLOCK_GRAPHS_TASK = 16,  /* molecules that a thread copies into a batch */
    RECON_BLOCK_LAYERS = 16,       /* images whose layers are compared */
    RECON_BLOCK_PARTNERS = 64,     /* conformers */
    /* normalize */
    RECON_BLOCK_NORMALIZE = 256, /* classes, or rows */
    RECON_BLOCK_GAUGE = 256,     /* rows */
    RECON_BLOCK_CLASSES = 4096,  /* rows that ranks exchange */
    RECON_BLOCK_FRAMES = 8192,   /* numbers of a table to write, approximately */
    /* maps */
    RECON_BLOCK_MAPS = 1024,     /* inputs of a pass of the heads */
    RECON_BLOCK_NETS = 256,      /* inputs of a pass of the networks on inputs */
    RECON_BLOCK_DENSITIES = 64,  /* pose densities */
    RECON_BLOCK_SO3_MAPS = 64,   /* maps of molecules */
    RECON_BLOCK_SO3_FITS = 4096, /* densities that the heads for molecules learn */
    /* model, report */
    RECON_BLOCK_WHITEN = 64,   /* codes */
    RECON_BLOCK_SCORES = 64,   /* images */
    RECON_BLOCK_AVERAGE = 128, /* images whose outputs are averaged */
    RECON_BLOCK_SEARCH = 128,  /* images whose candidates are judged */
    RECON_BLOCK_SPIN = 1024,   /* conformers to embed, and rotations to evaluate */
    RECON_BLOCK_SPIN_ROWS = 32 /* outputs of a classifier */
};

#endif
