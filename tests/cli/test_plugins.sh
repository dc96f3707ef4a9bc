#!/bin/sh
# Libraries that recon can do without are plug-ins: what it is linked with itself, and that each may be missing,
# broken or of another version.
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # plug-ins are the same files in every build, but for the sanitizers
fi
for file in "$recon" "$root/build/librecon.so"; do
    strange=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^(libc|libm|libz|libjansson|libpng16|libjpeg|libtiff|ld-linux-.*)\.so\.[0-9]*$')
    [ -z "$strange" ]
    report $? "${file##*/} is linked with libc, libm, zlib, jansson and the picture libraries alone $strange"
done

# --- each removed ---------------------------------------------------------------------------------

mkdir plugins && cp "$root"/build/recon-*.so plugins
export RECON_PLUGINS=$PWD/plugins
LC_ALL=C awk 'BEGIN { for (k = 0; k < 4; k++) for (i = 0; i < 28; i++) for (j = 0; j < 28; j++)
    printf "%c", 1 + 119 * (i > 4 && i < 23 && j > 8 + k % 3 && j < 13 || i > 18 && i < 23 && j > 8 && j < 20) }' |
    npy images.npy '|u1' '4, 28, 28'
poses() { # NAME
    accepted "canonicalize with $1" canonicalize --model "$root/models/mnist-small.safetensors" --data npy:images.npy \
        --precision f32 --out "$1.npy" --poses "$1.g.npy" --json
}
near() { # NAME
    od -An -v -w8 -j128 -t f8 all.g.npy >a.txt
    od -An -v -w8 -j128 -t f8 "$1.g.npy" | paste a.txt - |
        awk '{ d = $1 - $2; d = d < 0 ? -d : d; if (d > 6.28) d = 6.2831853 - d; if (d > most) most = d }
             END { exit !(NR == 4 && most < 0.001) }'
}
without() { # FILE NAME
    [ -e "plugins/$1" ] || { skip "without $2" "it was not built"; return 1; }
    rm "plugins/$1"
    run info --features
    [ $code -eq 0 ] && grep -q "^without $2: .*${3-$1 not found (RECON_PLUGINS is set)}" "$scratch/stdout"
    report $? "without $2 that is said"
}

poses all
normalize="normalize --embeddings $root/data/so2/z.npy --poses $root/data/so2/g.npy --approx hnsw --out n"
if [ -e plugins/recon-knn-faiss.so ]; then
    # shellcheck disable=SC2086
    run $normalize
    report $code "FAISS searches"
fi
if without recon-knn-faiss.so FAISS; then
    # shellcheck disable=SC2086
    refused 1 "approximate search needs FAISS: $RECON_PLUGINS/recon-knn-faiss.so not found" $normalize
fi
without recon-comm-mpich.so MPICH ""
if [ -e plugins/recon-ops-onednn.so ]; then
    mv plugins/recon-ops-blas.so . 2>/dev/null
    poses onednn
    grep -q "cpu (oneDNN)" "$scratch/stdout" && cmp -s all.g.npy onednn.g.npy
    report $? "the other plug-ins do not change what oneDNN computes"
    mv recon-ops-blas.so plugins 2>/dev/null
fi
ops() { # the laws of tests/ops by what is there now
    if [ -x "$root/build/tests/ops/test_ops" ]; then
        "$root/build/tests/ops/test_ops" >"$scratch/stdout" 2>"$scratch/stderr"
        code=$?
        report $code "operations by $1 agree with the plain ones"
    else
        skip "operations by $1" "tests/ops was not built"
    fi
}
if without recon-ops-onednn.so oneDNN && [ -e plugins/recon-ops-blas.so ]; then
    ops OpenBLAS
    poses blas
    grep -q "cpu (OpenBLAS)" "$scratch/stdout" && near blas
    report $? "OpenBLAS alone gives the same poses, to 0.001 radians"
fi
without recon-ops-blas.so OpenBLAS
ops "our own loops"
run canonicalize --model "$root/models/mnist-small.safetensors" --data npy:images.npy --precision f32 \
    --out loops.npy --poses loops.g.npy --json
grep -q "cpu (no library)" "$scratch/stdout" && said "neither oneDNN nor OpenBLAS is there" && near loops
report $? "so do our own loops, with a warning"

# --- not what they should be ----------------------------------------------------------------------

echo nonsense >plugins/recon-ops-onednn.so
run info --features
[ $code -eq 0 ] && grep -q '^without oneDNN: .*recon-ops-onednn.so' "$scratch/stdout"
report $? "a file that is no plug-in is named"
echo 'static const char *const old[] = { "0.0.1", "old", 0 };
const void *recon_plugin_table(void) { return old; }' >old.c
cc -shared -fPIC -o plugins/recon-ops-onednn.so old.c
run info --features
[ $code -eq 0 ] && grep -q 'recon-ops-onednn.so was made for another version of recon' "$scratch/stdout"
report $? "so is one for another version"
run info --features --json
is_json "$scratch/stdout" && grep -q '"oneDNN": false' "$scratch/stdout" && grep -qE '"libpng": (true|false)' "$scratch/stdout"
report $? "--json has all of them"
finish
