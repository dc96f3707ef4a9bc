#!/bin/sh
# A page with one of everything in a browser, and pages that a browser must find wanting.
. tests/report/browser.sh
page_sample=$PWD/${RECON_BUILD:-build}/tests/report/test_page
. tests/cli/lib.sh

if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # a page is the same in every build"
    exit 0
fi
if ! command -v chromium >/dev/null; then
    skip "pages in a browser" "no chromium"
    finish
fi
"$page_sample" page.html
browser_check page.html 5
[ "$(browser_says space)" = 2 ] && [ "$(browser_says tables)" = 3 ]
report $? "page.html: two figures in space, three tables"

# One page with every fault: each must be seen.
cat >bad.html <<'PAGE'
<!doctype html><html lang="en"><meta charset="utf-8"><title>bad</title>
<h1 id="a" style="color:#999">Pale</h1><h3 id="a" style="width:900px">Wide</h3>
<figure><div class="plot" style="width:50px;overflow:auto"><p style="width:200px">wide</p></div></figure>
<figure><script type="application/json"></script><svg><g class="space" tabindex="0"></g></svg></figure>
<script src="elsewhere.js"></script><script>throw new Error('loud')</script></html>
PAGE
browser_look bad.html
grep -q loud "$scratch/stderr"
report $? "an error on the console is seen"
[ "$(browser_says loads)" != 0 ]
report $? "something loaded is seen"
[ "$(browser_says sideways)" -gt 100 ]
report $? "scrolling sideways is seen"
[ "$(browser_says unsaid)" = 1 ]
report $? "a figure that scrolls and does not say so is seen"
[ "$(browser_says ordered)" = false ] && [ "$(browser_says twice)" = 1 ]
report $? "a heading out of order and an id used twice are seen"
! browser_at_least light 4.5
report $? "pale text is seen"
[ "$(browser_says captions)" = 0 ] && [ "$(browser_says rotated)" = 0 ]
report $? "a figure without caption, and one that does not rotate, are seen"
! browser_painted
report $? "an empty page is seen"
finish
