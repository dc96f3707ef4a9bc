/* proto.h - a reader of Protocol Buffers, for tests: written from the description of the wire format
 * (protobuf.dev/programming-guides/encoding), and apart from what writes it. */
#ifndef TESTS_PROTO_H
#define TESTS_PROTO_H

#include "check.h"

typedef struct {
    const unsigned char *at;
    size_t size;
} proto; /* a message: all of its fields, one behind the other */

typedef struct {
    unsigned number, wire;
    uint64_t value; /* of a varint, or the bits of a fixed one */
    proto bytes;    /* of a field with a length                */
} proto_field;

static inline uint64_t proto_varint(proto *m)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(m->size > 0 && shift < 64);
        unsigned char byte = *m->at++;
        m->size--;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

/* The next field of the message, which moves on behind it; 0 at the end. */
static inline int proto_next(proto *m, proto_field *f)
{
    if (m->size == 0)
        return 0;
    uint64_t tag = proto_varint(m);
    *f = (proto_field){ .number = (unsigned)(tag >> 3), .wire = (unsigned)(tag & 7) };
    assert_true(f->number > 0);
    if (f->wire == 0) {
        f->value = proto_varint(m);
        return 1;
    }
    assert_true(f->wire == 2 || f->wire == 5);
    f->bytes.size = f->wire == 5 ? 4 : proto_varint(m);
    assert_true(f->bytes.size <= m->size);
    f->bytes.at = m->at;
    m->at += f->bytes.size;
    m->size -= f->bytes.size;
    for (int i = 3; f->wire == 5 && i >= 0; i--)
        f->value = f->value << 8 | f->bytes.at[i];
    return 1;
}

/* The i-th field of a number; fails where there is none. */
static inline proto_field proto_get(proto m, unsigned number, size_t i)
{
    proto_field f;
    while (proto_next(&m, &f))
        if (f.number == number && i-- == 0)
            return f;
    fail_msg("there is no field %u", number);
    return (proto_field){ .number = 0 };
}

static inline size_t proto_count(proto m, unsigned number)
{
    proto_field f;
    size_t n = 0;
    while (proto_next(&m, &f))
        n += f.number == number;
    return n;
}

static inline int proto_is(proto m, const char *text)
{
    return m.size == strlen(text) && !memcmp(m.at, text, m.size);
}

/* The first message of this field that has `text` in its own field `key`; at NULL where none has. */
static inline proto proto_named(proto m, unsigned field, unsigned key, const char *text)
{
    proto_field f;
    while (proto_next(&m, &f))
        if (f.number == field && proto_count(f.bytes, key) > 0 &&
            proto_is(proto_get(f.bytes, key, 0).bytes, text))
            return f.bytes;
    return (proto){ NULL, 0 };
}

#endif
