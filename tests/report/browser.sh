# browser.sh - looks at pages with a browser: Debian's chromium, headless. Source it before
# tests/cli/lib.sh, whose report, skip and scratch it uses. A page is the same in every build, so
# one build looks.
probe=$PWD/tests/report/probe.html

# browser_look PAGE: leaves what probe.html says of it in $scratch/stdout, what the console said in
# $scratch/stderr, and a picture in $scratch/shot.png.
browser_look() {
    case $1 in /*) page=$1 ;; *) page=$PWD/$1 ;; esac
    rm -f "$scratch/shot.png"
    timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$scratch/chromium" --disable-extensions --no-first-run --hide-scrollbars \
        --allow-file-access-from-files --enable-logging=stderr \
        --window-size=420,900 --screenshot="$scratch/shot.png" --dump-dom "file://$probe?$page" \
        >"$scratch/dom" 2>"$scratch/log" </dev/null
    code=$?
    sed -n 's/^\(<pre>\)*\([a-z]*=[a-z0-9.-]*\)$/\2/p' "$scratch/dom" >"$scratch/stdout"
    grep 'CONSOLE' "$scratch/log" >"$scratch/stderr"
}

# browser_says NAME: the value probe.html gave it.
browser_says() {
    sed -n "s/^$1=//p" "$scratch/stdout"
}

browser_at_least() { # NAME BOUND
    awk -v "value=$(browser_says "$1")" -v "bound=$2" 'BEGIN { exit !(value + 0 >= bound) }'
}

# A picture of one colour packs into a few kB.
browser_painted() {
    [ -s "$scratch/shot.png" ] && [ "$(wc -c <"$scratch/shot.png")" -gt 15000 ]
}

# browser_check PAGE FIGURES: all that every page owes its readers. FIGURES is how many it has.
browser_check() {
    name=${1##*/}
    [ "${RECON_BUILD:-build}" = build ] || return 0
    if ! command -v chromium >/dev/null; then
        skip "$name in a browser" "no chromium"
        return
    fi
    browser_look "$1"
    [ "$code" -eq 0 ] && [ "$(browser_says done)" = 1 ] && browser_painted
    report $? "$name: the browser shows it"
    [ ! -s "$scratch/stderr" ] && [ "$(browser_says loads)" = 0 ]
    report $? "$name: nothing on the console, nothing loaded"
    [ "$(browser_says figures)" = "$2" ] && [ "$(browser_says captions)" = "$2" ]
    report $? "$name: $2 figures with captions"
    [ "$(browser_says sideways)" = 0 ]
    report $? "$name: does not scroll sideways on a phone"
    [ "$(browser_says unsaid)" = 0 ]
    report $? "$name: figures that scroll say so"
    [ "$(browser_says ordered)" = true ] && [ "$(browser_says twice)" = 0 ]
    report $? "$name: headings in order, no id twice"
    browser_at_least light 4.5 && browser_at_least dark 4.5
    report $? "$name: contrast AA in light and dark"
    [ "$(browser_says rotated)" = "$(browser_says space)" ] &&
        [ "$(browser_says restored)" = "$(browser_says space)" ]
    report $? "$name: what is in space rotations, and back"
    ! browser_at_least strange 0.5
    report $? "$name: the script paints what the library painted"
}
