# python.sh - to be sourced behind lib.sh: $python, an interpreter that has NumPy, "" where there is
# none, and the package of this checkout on its path.
root=$OLDPWD
python=""
for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
    if "$candidate" -c 'import sys, numpy; assert sys.version_info >= (3, 9)' 2>/dev/null; then
        python=$(command -v "$candidate")
        break
    fi
done
export PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
unset RECON_LIBRARY

# needs_package: ends the test where there is nothing for it: other builds than the release build, whose
# library the package uses, and machines without NumPy.
needs_package() {
    if [ "${RECON_BUILD:-build}" != build ]; then
        finish
    fi
    if [ -z "$python" ] || [ ! -e "$root/build/librecon.so" ]; then
        skip "the package" "no python3 with NumPy, or no build/librecon.so"
        finish
    fi
}

# passes TEXT <PROGRAM: a Python program that ends well; its last words otherwise.
passes() {
    "$python" - >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "$1"
}
