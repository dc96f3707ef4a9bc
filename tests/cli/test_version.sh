#!/bin/sh
# One version: the Makefile's. Everything else that names it agrees.
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # the same files in every build
fi
code=0
: >"$scratch/stdout" && : >"$scratch/stderr"
version=$(sed -n 's/^VERSION := //p' "$root/Makefile")
somajor=$(sed -n 's/^SOMAJOR := //p' "$root/Makefile")

same() { # WHERE FOUND
    [ "$2" = "$version" ]
    report $? "$1 says $version (${2:-nothing})"
}
macro() {
    sed -n "s/^#define RECON_VERSION_$1 //p" "$root/include/recon/core/version.h"
}

run --version
same "recon --version" "$(sed -n 's/^recon //p' "$scratch/stdout")"
run --version --json
is_json "$scratch/stdout" && grep -q "\"version\": \"$version\"" "$scratch/stdout"
report $? "--json too"
dev=${version#"${version%-dev}"} # "-dev" or nothing
same "include/recon/core/version.h" "$(macro MAJOR).$(macro MINOR).$(macro PATCH)$dev"
same "python/pyproject.toml" "$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/python/pyproject.toml" | sed 's/\.dev0$/-dev/')"
same "python/recon/_library.py" "$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/python/recon/_library.py")"
if [ -n "$dev" ]; then
    [ "$(sed -n 's/^## //p' "$root/CHANGELOG.md" | head -n 1)" = Unreleased ]
    report $? "the top of CHANGELOG.md is not released"
else
    same "the top of CHANGELOG.md" "$(sed -n 's/^## \[\{0,1\}\([0-9.]*[0-9]\).*/\1/p' "$root/CHANGELOG.md" | head -n 1)"
fi
same "man/recon.1" "$(sed -n 's/^\.TH .*"recon \([0-9.]*[0-9a-z.-]*\)".*/\1/p' "$root/man/recon.1")"
echo "$version" | grep -qE '^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-dev)?$'
report $? "$version is three numbers, or on the way to them"
grep -q "\"librecon.so.$somajor\"" "$root/python/recon/_library.py"
report $? "Python looks for librecon.so.$somajor"
finish
