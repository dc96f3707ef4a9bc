/* folder.h - a folder of pictures as a data set. */
#ifndef DATA_FOLDER_H
#define DATA_FOLDER_H

#include "data/dataset.h"

/* The origin of the pictures of a data set. */
typedef struct recon_folder recon_folder;
void recon_folder_free(recon_folder *folder);

/* recon_folder_read (formats.h) fills data from the PNG, JPEG, TIFF, PGM and PPM files of a folder,
 * each page of a TIFF file a picture, in the order of their names; where it has sub-folders of
 * pictures instead, these are the classes. See dataset.h for what is not read,
 * recon_dataset_unread. */

/* Returns the path of the file of image i, or NULL if it has no file of its own; lent. */
const char *recon_dataset_path(const recon_dataset *data, size_t i);

/* Returns why the i-th skipped file was skipped, or NULL if that is not known: for data other than
 * images:, and after the first thousand. */
const char *recon_dataset_skipped(const recon_dataset *data, size_t i);

#endif
