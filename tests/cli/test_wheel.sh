#!/bin/sh
# make wheel, in check-slow: the same bytes twice, at most 14 MB, and whole: it works in a root of Debian that has
# Python and NumPy alone. ROOTS: folders of such roots that are there already; else debootstrap makes one.
if [ -z "${RECON_SLOW:-}" ] || [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # in make check-slow"
    exit 0
fi
. "${0%/*}/lib.sh"
root=$OLDPWD
for time in first second; do
    rm -rf "$root/build/wheel"
    make -s -C "$root" wheel >"$scratch/stdout" 2>"$scratch/stderr"
    report $? "make wheel, for the $time time"
    mkdir $time && cp "$root"/build/wheel/*.whl $time
done
diff -r first second >"$scratch/stdout"
report $? "the same bytes"
wheel=$(echo "$PWD"/first/recon_pose-*.whl)
echo "$wheel" | grep -qE -- '-py3-none-manylinux_2_[0-9]+_[a-z0-9_]+\.whl$'
report $? "${wheel##*/} is for every Python"
[ "$(stat -c %s "$wheel")" -le 14000000 ]
report $? "$(stat -c %s "$wheel") bytes are at most 14 million"
unzip -l "$wheel" 2>/dev/null | grep -q dist-info/LICENSE
report $? "it has the licence"

if [ -z "${ROOTS:-}" ] && [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then
    ROOTS=$scratch/debian
    debootstrap --variant=minbase --include=python3,python3-venv,python3-numpy bookworm "$ROOTS" >"$scratch/stdout" 2>&1
    report $? "debootstrap"
fi
[ -n "${ROOTS:-}" ] || skip "in a root of Debian" "no debootstrap, or not root"
for debian in ${ROOTS:-}; do
    rm -rf "$debian/recon" && mkdir "$debian/recon" && cp "$wheel" "$debian/recon"
    cat >"$debian/recon/try.py" <<'END'
import numpy as np
import recon
images = recon.read_images("garments", limit=1280).images
upright, poses = recon.load("mnist-small").canonicalize(images[:40])
assert upright.shape == (40, 28, 28)
print("psi", *np.round(poses.psi[:5], 3))
z, g = np.random.default_rng(1).normal(size=(500, 8)), np.random.default_rng(2).uniform(-3, 3, 500)
assert recon.normalize(z.astype("f4"), g, group="so2", k=10).gamma.shape == (500,)
result = recon.train(images, "own.safetensors", preset="small", epochs=1)
assert result.steps >= 20, result
print("trained", result.steps, "steps")
END
    chroot "$debian" /bin/sh -c 'cd /recon && python3 -m venv --system-site-packages v &&
        v/bin/pip install --no-index --no-deps *.whl && v/bin/python try.py' >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "$(cat "$debian/etc/debian_version"): $(tail -n 2 "$scratch/stdout" | tr '\n' ' ')"
done
finish
