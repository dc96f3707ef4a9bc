#!/bin/sh
# make install: what is installed serves a stranger's program, through pkg-config, in C and C++.
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # the installed library is that of the release build
fi
prefix=$scratch/prefix
make -s -C "$root" install PREFIX="$prefix" >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "make install"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"

[ "$(pkg-config --modversion recon)" = "$("$prefix/bin/recon" --version | cut -d' ' -f2)" ]
report $? "pkg-config and the command agree on the version"
# shellcheck disable=SC2046
cc -std=c99 -Wall -Werror "$root/examples/normalize.c" $(pkg-config --cflags --libs recon) -lm \
    -o example >"$scratch/stdout" 2>"$scratch/stderr" && ./example >"$scratch/stdout" 2>&1
code=$?
report $code "examples/normalize.c compiles against the installed library and finds its truth"

missing=""
for header in $(cd "$prefix/include" && find recon -mindepth 2 -name '*.h'); do
    grep -q "<$header>" "$prefix/include/recon/recon.h" || missing="$missing $header"
done
[ -z "$missing" ]
report $? "recon.h includes every header$missing"

bad=""
for header in $(cd "$prefix/include" && find recon -name '*.h'); do
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" >one.c
    cc -std=c99 -pedantic -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only one.c 2>>"$scratch/stderr" &&
        c++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only one.c 2>>"$scratch/stderr" ||
        bad="$bad $header"
done
[ -z "$bad" ]
code=$?
report $code "every public header stands alone, in C99 and in C++11:${bad:- all}"

strange=$(nm -D --defined-only "$prefix/lib/librecon.so" | awk '$2 ~ /[TDBR]/ && $3 !~ /^recon_/ { print $3 }')
[ -z "$strange" ]
code=$?
report $code "the library exports nothing that is not called recon_"

make -s -C "$root" uninstall PREFIX="$prefix" >"$scratch/stdout" 2>"$scratch/stderr"
[ -z "$(find "$prefix" -type f)" ]
report $? "make uninstall leaves no file"
finish
