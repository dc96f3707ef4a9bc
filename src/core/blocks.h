/* blocks.h (private) - how much each loop takes at a time, all in one place: a test stands on the borders
 * of every one of them (one less, as many, one more, and one more than two blocks), where a loop that is
 * wrong shows it. tools/check-layers holds the tests to that.
 *
 * Also blocks, but in the header of what works on them: RECON_RUN (ops/cpu/elements.h), RECON_TILE
 * (knn/tiles.h). */
#ifndef CORE_BLOCKS_H
#define CORE_BLOCKS_H

enum {
    /* core */
    RECON_BLOCK_ARRAY = 64,     /* numbers that are converted, and a side of what is transposed */
    RECON_BLOCK_JPEG = 1 << 16, /* bytes of a file                                              */
    /* ops */
    RECON_BLOCK_SUMS = 4096,   /* numbers of ranks and slices that are added                   */
    RECON_BLOCK_COLUMNS = 256, /* columns whose sums stay in the first-level cache             */
    RECON_BLOCK_ROWS = 32,     /* rows that are summed in float                                */
    RECON_BLOCK_GEMM_M = 512,  /* rows and                                                     */
    RECON_BLOCK_GEMM_N = 1024, /* columns of a product that is one task                        */
    RECON_BLOCK_TOPK = 64,     /* scores that are compared with the worst of a list            */
    RECON_BLOCK_CONV = 2048,   /* pixels of a task: sums of weight gradients cost a few percent */
    RECON_BLOCK_STEER = 192,   /* pixels: more do not make products faster                     */
    RECON_BLOCK_COUPLE = 64,   /* rows                                                         */
    RECON_BLOCK_PAIRS = 64,    /* molecules, whose gradients are added one after the other     */
    /* stats, knn, nn */
    RECON_BLOCK_MEANS = 64,    /* sets of angles                                               */
    RECON_BLOCK_FITS = 16,     /* sets of angles that densities are fitted to                  */
    RECON_BLOCK_POINTS = 1024, /* rows that are prepared                                       */
    RECON_BLOCK_FAISS = 4096,  /* queries that FAISS is handed                                 */
    RECON_BLOCK_FISHER = 32,   /* rows of a loss                                               */
    /* data, backbone */
    RECON_BLOCK_PIXELS = 64,   /* pixels of a row of a picture that is rotated                  */
    RECON_BLOCK_ROTATE = 16,   /* images that are rotated                                       */
    RECON_BLOCK_IDENTITY = 16, /* inputs that are hashed, or pieces of an array                */
    RECON_BLOCK_PIECE = 4096,  /* bytes of such a piece                                        */
    RECON_BLOCK_EMBED = 1024,  /* inputs,                                                      */
    RECON_BLOCK_EMBED_LARGE = 256, /* and large ones                                             */
    RECON_BLOCK_IMAGES = 256,     /* images of a pass on a CPU                                    */
    RECON_BLOCK_VALIDATION = 250, /* images of a pass of validation at most, and of a classifier */
    RECON_BLOCK_GCN = 128,        /* molecules of a pass                                          */
    RECON_BLOCK_GRAPHS = 1024,    /* conformers whose graphs are made                             */
    RECON_BLOCK_GRAPHS_TASK = 16, /* molecules that a thread lays in a batch                     */
    RECON_BLOCK_LAYERS = 16,      /* images whose layers are compared                             */
    RECON_BLOCK_PARTNERS = 64,    /* conformers                                                   */
    /* normalize */
    RECON_BLOCK_NORMALIZE = 256, /* classes, or rows                                             */
    RECON_BLOCK_GAUGE = 256,     /* rows                                                         */
    RECON_BLOCK_CLASSES = 4096,  /* rows that ranks hand to each other                           */
    RECON_BLOCK_FRAMES = 8192,   /* numbers of a table that are written, about                   */
    /* maps */
    RECON_BLOCK_MAPS = 1024,     /* inputs of a pass of the heads                                */
    RECON_BLOCK_NETS = 256,      /* inputs of a pass of the networks on them                     */
    RECON_BLOCK_DENSITIES = 64,  /* pose densities                                               */
    RECON_BLOCK_SO3_MAPS = 64,   /* maps of molecules                                            */
    RECON_BLOCK_SO3_FITS = 4096, /* densities that molecules' heads learn                        */
    /* model, report */
    RECON_BLOCK_WHITEN = 64,   /* codes                                                        */
    RECON_BLOCK_SCORES = 64,   /* images                                                       */
    RECON_BLOCK_ANSWERS = 512, /* inputs of a discovery that are answered                      */
    RECON_BLOCK_AVERAGE = 128, /* images whose answers are averaged                            */
    RECON_BLOCK_SEARCH = 128,  /* images whose candidates are judged                           */
    RECON_BLOCK_SPIN = 1024,   /* conformers that are seen, and rotations that are asked about */
    RECON_BLOCK_SPIN_ROWS = 32 /* answers of a classifier */
};

#endif
