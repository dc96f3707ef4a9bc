#!/bin/sh
# examples/torus.c, a group of one's own, goes through Algorithm 1 with public headers alone.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"

"${recon%/*}/examples/torus" >"$scratch/stdout" 2>"$scratch/stderr"
report $? "natural poses on the torus are found"
grep -q "poses of the torus: natural poses are found to within 0\.[0-9]* radians" "$scratch/stdout"
report $? "it says how well"
! grep '#include [<"]' "$here/../../examples/torus.c" | grep -vqE '<(recon/recon|math|stdio)\.h>'
report $? "with public headers alone"
[ "$(wc -l <"$here/../../examples/torus.c")" -lt 200 ]
report $? "in fewer than 200 lines"
finish
