#!/bin/sh
# Pages: links lead somewhere, and commands, options, files and targets that they name exist.
if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # the pages are the same in every build"
    exit 0
fi
if ! python3 -c '' 2>/dev/null; then
    echo "ok 1 - pages # SKIP no python3"
    echo "1..1"
    exit 0
fi
exec python3 tests/docs/check_pages.py . build/recon
