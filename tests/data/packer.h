/* packer.h - MessagePack written by hand, well or badly. */
#ifndef TESTS_DATA_PACKER_H
#define TESTS_DATA_PACKER_H

#include "check.h"

#include <stdlib.h>

typedef struct {
    unsigned char bytes[1 << 17];
    size_t n;
} packer;

static inline void pack_bytes(packer *p, const void *bytes, size_t n)
{
    assert_true(p->n + n <= sizeof p->bytes);
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
}

/* A head byte and a number of so many bytes, most significant first. */
static inline void pack_head(packer *p, int head, uint64_t value, int bytes)
{
    unsigned char b[9] = { (unsigned char)head };
    for (int i = 0; i < bytes; i++)
        b[1 + i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
    pack_bytes(p, b, 1 + (size_t)bytes);
}

static inline void pack_map(packer *p, int n)
{
    pack_head(p, 0x80 | n, 0, 0);
}
static inline void pack_array(packer *p, int n)
{
    pack_head(p, 0x90 | n, 0, 0);
}
static inline void pack_int(packer *p, int value) /* 0 .. 127 */
{
    pack_head(p, value, 0, 0);
}
static inline void pack_text(packer *p, const char *text)
{
    pack_head(p, 0xd9, strlen(text), 1);
    pack_bytes(p, text, strlen(text));
}
static inline void pack_float(packer *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pack_head(p, 0xcb, bits, 8);
}

static inline void pack_atom(packer *p, double z, double x, double y, double w)
{
    pack_array(p, 4);
    pack_float(p, z);
    pack_float(p, x);
    pack_float(p, y);
    pack_float(p, w);
}

/* Hydrogen fluoride of a length. */
static inline void pack_conformer(packer *p, double length, double hartree)
{
    pack_map(p, 2);
    pack_text(p, "totalenergy");
    pack_float(p, hartree);
    pack_text(p, "xyz");
    pack_array(p, 2);
    pack_atom(p, 9, 0, 0, 0);
    pack_atom(p, 1, 0, 0, length);
}

/* The heads of a chunk of one molecule: n conformers are to follow. */
static inline void pack_molecule(packer *p, const char *name, int n)
{
    pack_map(p, 1);
    pack_text(p, name);
    pack_map(p, 1);
    pack_text(p, "conformers");
    pack_array(p, n);
}

#endif
