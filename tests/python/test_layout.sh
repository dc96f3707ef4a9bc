#!/bin/sh
# The structures, constants and prototypes that the Python package says anew are those of the
# headers.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # headers are the same in every build
fi
if [ -z "$python" ]; then
    skip "layout" "no python3 with NumPy"
    finish
fi

# agrees ABI HEADERS: what ctypes thinks is what the compiler says.
agrees() {
    "$python" "$here/layout.py" "$1" c >layout.c && "$python" "$here/layout.py" "$1" ctypes >ctypes &&
        cc -std=c99 -Wall -Wextra -Werror -I"$2" -o layout layout.c && ./layout >compiler &&
        cmp ctypes compiler && [ -s compiler ]
}
abi=$root/python/recon/_abi.py
agrees "$abi" "$root/include" >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "$(wc -l <ctypes) sizes, offsets and constants, and every prototype"

# A check that cannot fail is none: headers and mirrors that have drifted, one way each.
drift() { # TEXT FILE FROM TO
    rm -rf include && cp -R "$root/include" . && cp "$abi" abi.py
    sed "s/$3/$4/" "$2" >changed && ! cmp -s changed "$2" && mv changed "$2" &&
        ! agrees abi.py include >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "drift is seen: $1"
}
drift "a field more in padding" include/recon/model/score.h 'int fold;' 'int fold, more;'
drift "a field of another type" include/recon/model/pose.h 'double psi;' 'float psi;'
drift "a shorter array" abi.py 'c_double \* 4' 'c_double * 3'
drift "an argument more" include/recon/model/score.h 'double false_alarms);' 'double false_alarms, int more);'
drift "an enumeration in another order" include/recon/group/mean.h \
    'RECON_MEAN_FRECHET, RECON_MEAN_CHORDAL' 'RECON_MEAN_CHORDAL, RECON_MEAN_FRECHET'
finish
