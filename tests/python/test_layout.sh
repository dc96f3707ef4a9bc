#!/bin/sh
# The structures, constants and prototypes that the Python package reads from the headers are those
# that a compiler reads.
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
        cc -std=c99 -Wall -Wextra -Wfloat-conversion -Werror -I"$2" -o layout layout.c && ./layout >compiler &&
        cmp ctypes compiler && [ -s compiler ]
}
abi=$root/python/recon/_abi.py
agrees "$abi" "$root/include" >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "$(wc -l <ctypes) sizes, offsets and constants, and every prototype"

# A check that cannot fail is none: headers other than those that were read, and a reader that errs.
drift() { # TEXT FILE FROM TO
    rm -rf include package && mkdir package && cp -R "$root/include" . && cp -R "$root/include" "$abi" package &&
        sed "s/$3/$4/" "$2" >changed && ! cmp -s changed "$2" && mv changed "$2" &&
        ! agrees package/_abi.py include >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "drift is seen: $1"
}
drift "a field more in padding" include/recon/model/score.h 'int fold;' 'int fold, more;'
drift "a field of another type" include/recon/model/pose.h 'double psi' 'float psi'
drift "numbers of another size" package/_abi.py '"float": ctypes.c_float' '"float": ctypes.c_double'
drift "an argument more" include/recon/model/score.h 'double false_alarms);' 'double false_alarms, int more);'
drift "an argument of another type" include/recon/model/score.h 'double false_alarms);' 'int false_alarms);'
drift "an enumeration with other numbers" include/recon/group/mean.h 'RECON_MEAN_TUKEY,' 'RECON_MEAN_TUKEY = 2,'
finish
