#!/bin/sh
# make install: what is installed serves an external program, through pkg-config, in C and C++, from
# the shared and from the static library; make uninstall takes away that and nothing else.
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # the installed library is that of the release build
fi
prefix=$scratch/prefix stage="$scratch/one's stage"
install_to() { # ARGS
    make -s -C "$root" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}
compile() { # COMMAND...
    "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}

mkdir -p "$prefix/share/man" "$prefix/lib" && echo mine >"$prefix/lib/librecon.txt" # what was there
install_to install PREFIX="$prefix"
report $code "make install"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib"

# --- an external program -----------------------------------------------------------------------

version=$("$prefix/bin/recon" --version | sed -n 's/^recon //p')
[ "$(pkg-config --modversion recon)" = "$version" ]
report $? "pkg-config and the command agree on the version"
cat >own.cc <<'END'
#include <recon/recon.h>
#include <cstdio>
#include <memory>

#if !RECON_VERSION_AT_LEAST(0, 1, 0) || RECON_VERSION_AT_LEAST(999, 0, 0)
#error "the version does not compare"
#endif

int main()
{
    std::unique_ptr<recon_ctx, void (*)(recon_ctx *)> ctx(recon_ctx_new(nullptr), recon_ctx_free);
    recon_array a{};
    char numbers[32];
    std::snprintf(numbers, sizeof numbers, "%d.%d.%d", RECON_VERSION_MAJOR, RECON_VERSION_MINOR,
                  RECON_VERSION_PATCH);
    if (recon_npy_read(ctx.get(), &a, "absent.npy") != RECON_ERR_IO)
        return 1;
    std::printf("%s %s %s\n", numbers, recon_version(), recon_ctx_message(ctx.get()));
    return 0;
}
END
cp "$root/examples/normalize.c" own.c
mkdir empty
warn="-Wall -Wextra -Wpedantic -Werror"
shared=$(pkg-config --cflags --libs recon)
static=$(pkg-config --cflags --static --libs recon | sed 's/-lrecon /-l:librecon.a /')
for way in shared static; do
    eval "flags=\$$way"
    # shellcheck disable=SC2086
    compile cc -std=c99 $warn own.c $flags -lm -o in_c && (cd empty && ../in_c) >"$scratch/stdout" 2>&1
    code=$?
    report $code "examples/normalize.c runs with the $way library and finds its truth"
    # shellcheck disable=SC2086
    compile c++ -std=c++11 $warn own.cc $flags -o in_cc && (cd empty && ../in_cc) >"$scratch/stdout" 2>&1 &&
        [ "$(cut -d' ' -f1-3 "$scratch/stdout")" = "${version%-dev} $version absent.npy:" ]
    code=$?
    report $code "so does a C++ program, whose headers are of the library's version"
done
if command -v cmake >/dev/null; then
    mkdir cm && cp "$root/examples/normalize.c" cm/own.c && cp own.cc cm && cat >cm/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(own C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(recon 0.3 REQUIRED)
add_executable(shared own.c)
target_link_libraries(shared recon::recon m)
add_executable(static own.cc)
target_link_libraries(static recon::static)
END
    compile cmake -S cm -B cm/build "-DCMAKE_PREFIX_PATH=$prefix" && compile cmake --build cm/build &&
        (cd empty && ../cm/build/shared && ../cm/build/static) >"$scratch/stdout" 2>&1
    code=$?
    report $code "so do both by CMake, in C++17"
    sed -i 's/recon 0.3/recon 0.2/' cm/CMakeLists.txt
    ! cmake -S cm -B cm/other "-DCMAKE_PREFIX_PATH=$prefix" >"$scratch/stdout" 2>&1
    report $? "which refuses another series of versions"
else
    skip "so do both by CMake" "no cmake"
fi
cat >models.c <<'END'
#include <recon/recon.h>
int main(void)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_model *model = NULL;
    return recon_model_open(ctx, &model, "mnist-small", RECON_SINGLE);
}
END
# shellcheck disable=SC2086
compile cc models.c $static -o models && (cd empty && ../models) >"$scratch/stdout" 2>&1
code=$?
report $code "a static program finds the models under the prefix"
! ldd ./in_cc | grep -q librecon
report $? "the static one needs no librecon.so"
(cd empty && env -i "$prefix/bin/recon" info conformers/test >"$scratch/stdout" 2>"$scratch/stderr" &&
    env -i "$prefix/bin/recon" info models/mnist.safetensors >>"$scratch/stdout" 2>>"$scratch/stderr")
code=$?
report $code "the command finds its data and models from an empty folder, with an empty environment"

# --- headers ------------------------------------------------------------------------------------

(cd "$prefix/include/recon" && find . -name '*.h' | sed 's|^\./||' | LC_ALL=C sort) >installed
{ printf '%s\n' nn.h recon.h && "$root/tools/list-api" headers nn.h recon.h; } | LC_ALL=C sort -u | diff - installed >"$scratch/stdout"
code=$?
report $code "the headers that are installed are recon.h, nn.h and what they include"
count() { "$root/tools/list-api" "$@" | wc -l; } # WHAT UMBRELLA
n_headers=$(count headers recon.h) n_functions=$(count functions recon.h)
[ "$n_headers" -le 37 ] && [ "$n_headers" -ge 20 ]
report $? "recon.h includes $n_headers headers, at most 37"
[ "$n_functions" -le 260 ] && [ "$n_functions" -ge 100 ]
report $? "which declare $n_functions functions, at most 260; all headers $(count functions)"
"$root/tools/list-api" headers recon.h | grep '^nn/' | grep -v '^nn/trained.h$' >"$scratch/stdout"
[ ! -s "$scratch/stdout" ]
report $? "and nothing of the engine"

bad=$(for header in $("$root/tools/list-api" headers recon.h); do
    awk '/^} recon_[a-z0-9_]*_options;/ && last != "    uint64_t reserved[RECON_RESERVED];" { print $2 } { last = $0 }' \
        "$prefix/include/recon/$header"
done)
[ -z "$bad" ]
report $? "options of recon.h end in their reserved tail $bad"

alone() { # HEADER COMPILER...
    header=$1
    shift
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" >one.c
    "$@" -pedantic -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only one.c 2>>"$scratch/stderr" ||
        bad="$bad $header ($2)"
}
bad="" count=0
: >"$scratch/stderr"
for header in $(cd "$prefix/include" && find recon -name '*.h'); do
    alone "$header" cc -std=c99
    alone "$header" c++ -std=c++11 -x c++
    count=$((count + 1))
done
for compiler in c++ clang++; do
    command -v $compiler >/dev/null || continue
    for standard in c++14 c++17 c++20; do
        alone recon/recon.h $compiler -std=$standard -x c++ -Wshadow
    done
done
[ -z "$bad" ]
code=$?
report $code "each of $count public headers stands alone, in C99 and C++11, all in C++14 to 20$bad"

# --- symbols ------------------------------------------------------------------------------------

nm -D --defined-only "$prefix/lib/librecon.so" | awk '{ print $3 }' | LC_ALL=C sort >exported
"$root/tools/list-api" exports | sed -n 's/^\(recon_.*\);$/\1/p' | LC_ALL=C sort | diff - exported >"$scratch/stdout"
code=$?
report $code "librecon.so exports the $(wc -l <exported) functions and groups that the headers declare, and nothing else"
strange=$(nm -g --defined-only "$prefix/lib/librecon.a" |
    awk 'NF == 3 && $3 !~ /^recon_/ { print $3 }')
[ -z "$strange" ]
report $? "librecon.a defines nothing else for the linker either $strange"
[ "$(readelf -d "$prefix/lib/librecon.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')" = \
    "$(cd "$prefix/lib" && echo librecon.so.?)" ]
report $? "the link that programs ask for is there"

# --- gone again ---------------------------------------------------------------------------------

install_to uninstall PREFIX="$prefix"
[ $code -eq 0 ] && [ "$(cd "$prefix" && find . | sort | tr '\n' ' ')" = \
    ". ./lib ./lib/librecon.txt ./share ./share/man " ]
code=$?
report $code "make uninstall leaves what was there before, files and folders, and nothing else"
install_to uninstall PREFIX="$prefix"
[ $code -eq 0 ] && grep -q 'there is no' "$scratch/stdout"
report $? "and says so when there is nothing"

install_to install DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/some-arch && echo mine >"$stage/usr/share/recon/mine" &&
    install_to install DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/other-arch
[ $code -eq 0 ] && [ ! -e "$stage/usr/lib/some-arch" ] && [ -e "$stage/usr/lib/other-arch/librecon.so" ] &&
    grep -q '^libdir=/usr/lib/other-arch$' "$stage/usr/lib/other-arch/pkgconfig/recon.pc" &&
    ! grep -rqF "$stage" "$stage"
code=$?
report $code "DESTDIR and LIBDIR are kept to; a second installation takes the first one's place"
install_to uninstall DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/other-arch
[ $code -eq 0 ] && [ "$(cd "$stage" && find . -type f)" = ./usr/share/recon/mine ]
code=$?
report $code "another program's file in our folder stays"
install_to install PREFIX=here
[ $code -ne 0 ] && said "PREFIX and LIBDIR begin with /" && [ ! -e "$root/here" ]
report $? "a prefix that is no absolute path is refused"
finish
