#!/bin/sh
# make dist: the sources as one file, always the same, whole without git.
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # the same files in every build
fi
version=$(sed -n 's/^VERSION := //p' "$root/Makefile")
pack() { # ROOT FILE
    make -s -C "$1" dist >"$scratch/stdout" 2>"$scratch/stderr" && mv "$1/build/recon-$version.tar.gz" "$2"
    code=$?
}

pack "$root" first.tar.gz
report $code "make dist"
tar -tvzf first.tar.gz >"$scratch/stdout" && ! grep -v "^[-d][rwx-]* 0/0 .* recon-$version/" "$scratch/stdout" >odd &&
    LC_ALL=C sort -c -k6 "$scratch/stdout" && ! grep -qE '/(build|out|node_modules|__pycache__)/|\.o$' "$scratch/stdout"
report $? "$(wc -l <"$scratch/stdout") files under recon-$version/, in order, of nobody, and nothing that was built"

tar -xzf first.tar.gz
fresh=$PWD/recon-$version
(cd "$root" && tools/list-files) >listed
(cd "$fresh" && tools/list-files) | diff listed - >"$scratch/stdout"
code=$?
report $code "outside of a clone the same files are found"
(umask 077 && cd "$fresh" && touch -c README.md && pack "$fresh" "$work/second.tar.gz")
cmp first.tar.gz second.tar.gz >"$scratch/stdout" 2>&1
code=$?
report $code "what was unpacked packs to the same bytes"
make -s -C "$fresh" check-layers >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "its layers are checked without git"
if command -v clang-format >/dev/null; then
    [ "$(make -s -C "$fresh" -n check-format | wc -w)" -gt 300 ]
    report $? "so is its format"
else
    skip "so is its format" "no clang-format"
fi
mkdir -p "$fresh/build/src" "$fresh/python/build/lib" "$fresh/python/recon.egg-info" "$fresh/tests/__pycache__"
make -s -C "$fresh" clean >"$scratch/stdout" 2>"$scratch/stderr" && (cd "$fresh" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) |
    diff listed - >"$scratch/stdout" && [ ! -e "$fresh/build" ] && [ ! -e "$fresh/python/build" ]
code=$?
report $code "make clean leaves the sources and nothing else"
finish
