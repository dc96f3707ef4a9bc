/* folder.h - a folder of pictures as a data set. */
#ifndef DATA_FOLDER_H
#define DATA_FOLDER_H

#include "data/dataset.h"

/* Where the pictures of a data set came from. */
typedef struct recon_folder recon_folder;
void recon_folder_free(recon_folder *folder);

/* recon_folder_read (formats.h) fills data from the PNG, JPEG, TIFF, PGM and PPM files of a folder,
 * each page of a TIFF file a picture, in the order of their names; where it has sub-folders of
 * pictures instead, these are the classes. See dataset.h for what is not read, recon_dataset_unread. */

/* The path of image i's file; lent. NULL: it has no file of its own. */
const char *recon_dataset_path(const recon_dataset *data, size_t i);

/* How many pictures of the folder were read by the rule for transparent ones, see dataset.h. */
size_t recon_dataset_lifted(const recon_dataset *data);

/* Why the i-th skipped file was skipped; NULL if unknown: for data other than images:, and beyond
 * the first thousand. */
const char *recon_dataset_skipped(const recon_dataset *data, size_t i);

#endif
