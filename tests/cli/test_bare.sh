#!/bin/sh
# recon without any optional library: it builds, says what is missing, and gives the same answers.
# Objects whose sources do not mention RECON_HAVE_, nor include a file that does, are those of the
# release build; the rest is compiled anew. RECON_SLOW=1 compiles everything, from what make dist
# packs, outside of any clone.
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # builds one of its own
fi
bare=$scratch/bare sources=$root
export RECON_PLUGINS=$bare # none
absent="HAVE_OPENBLAS= HAVE_DNNL= HAVE_FAISS= HAVE_PNG= HAVE_JPEG= HAVE_TIFF= HAVE_FREETYPE="
build() { # TARGET
    # shellcheck disable=SC2086
    make -s -C "$sources" BUILD="$bare" $absent "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}

if [ -n "${RECON_SLOW:-}" ]; then
    make -s -C "$root" dist >"$scratch/stdout" 2>"$scratch/stderr" && tar -xzf "$root"/build/recon-*.tar.gz &&
        sources=$(echo "$PWD"/recon-*) && make -s -C "$sources" check-layers check-format >"$scratch/stdout" 2>&1
    code=$?
    report $code "the packed sources are whole: layers and format are checked without git"
fi

build "$bare/flags"
grep -vE ' (Open MPI|MPICH)' "$scratch/stdout" >lines # plug-ins: no part of the program
sed 's/ (Debian: .*)$//' lines >said
[ $code -eq 0 ] && [ "$(grep -c '^without .*: ' said)" -eq 7 ] && [ "$(grep -c '(Debian: lib.*-dev)$' lines)" -eq 7 ]
report $? "make says which libraries are missing, for what, and their packages"
for library in JANSSON ZLIB; do
    build HAVE_$library= "$bare/flags"
    [ $code -ne 0 ] && grep -qE '^recon needs (jansson|zlib) \(Debian: .*-dev\); ' "$scratch/stderr"
    report $? "without $library make stops, and names the package"
done
if [ -z "${RECON_SLOW:-}" ]; then
    (cd "$root" && grep -rl RECON_HAVE_ src cli lab include) >mention
    for object in $(cd "$root/build" && find src cli lab -name '*.o'); do
        tr ' ' '\n' <"$root/build/${object%.o}.d" | grep -qxF -f mention && continue
        mkdir -p "$bare/${object%/*}" && cp "$root/build/$object" "$bare/$object"
    done
fi
build "$bare/recon"
report $code "it builds"
! ldd "$bare/recon" | grep -qE 'blas|dnnl|faiss|png|jpeg|tiff|freetype|gomp|stdc'
report $? "and links with none of them"
"$bare/recon" info --features | grep '^without ' | grep -vE ' (CUDA|Open MPI|MPICH)' |
    sed 's/ (.*)$//' >missing
cmp -s missing said
report $? "recon info --features says what make said"

# --- the same answers ---------------------------------------------------------------------------

# Bytes behind a header of 128, as numbers of a type; the largest difference, in all.
largest_difference() { # A B TYPE
    od -An -v -w8 -j128 -t "$3" "$1" >a.txt
    od -An -v -w8 -j128 -t "$3" "$2" | paste a.txt - |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 6.28) d = 6.2831853 - d; if (d > most) most = d }
             END { print NR ? most + 0 : "none" }'
}
below() { # A B
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "none" && a < b) }'
}
with=$recon
choose() { # by $which
    recon=$with RECON_PLUGINS=
    [ $which = with ] || recon=$bare/recon RECON_PLUGINS=$bare
}
for which in with bare; do
    choose
    accepted "normalize, $which" normalize --embeddings "$root/data/so2/z.npy" --poses "$root/data/so2/g.npy" \
        --k 25 --out "so2.$which" --quiet
done
cmp -s so2.with/neighbors.npy so2.bare/neighbors.npy
report $? "the same neighbours"
cmp -s so2.with/gamma.npy so2.bare/gamma.npy
report $? "the same centres"

LC_ALL=C awk 'BEGIN { for (k = 0; k < 12; k++) for (i = 0; i < 28; i++) for (j = 0; j < 28; j++)
    printf "%c", 1 + 119 * (i > 4 && i < 23 && j > 8 + k % 3 && j < 13 || i > 18 && i < 23 && j > 8 && j < 20) }' |
    npy images.npy '|u1' '12, 28, 28'
for which in with bare; do
    choose
    run canonicalize --model "$root/models/mnist-small.safetensors" --data npy:images.npy \
        --precision f32 --out $which.npy --poses g.$which.npy --quiet
    report $code "canonicalize, $which"
done
angle=$(largest_difference g.with.npy g.bare.npy f8)
below "$angle" 0.001
report $? "poses of images differ by less than 0.001 radians ($angle)"

# --- what it lacks it says ----------------------------------------------------------------------

mkdir pictures && printf 'P2 2 2 255 0 9 9 0\n' >pictures/a.pgm
recon=$bare/recon
refused 1 "FAISS" normalize --embeddings "$root/data/so2/z.npy" --poses "$root/data/so2/g.npy" --approx hnsw --out no
printf '\211PNG\r\n\032\n' >pictures/b.png
run canonicalize --model "$root/models/mnist-small.safetensors" --data images:pictures --out no.npy
[ $code -eq 1 ] && said "built without libpng" && [ ! -e no.npy ]
report $? "so is a PNG file"
finish
