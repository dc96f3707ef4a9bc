#!/bin/sh
# What the library asks of the system, by its symbols: nothing that could send, listen, start a
# program, print or end the process; and no variable that outlives a call. The same objects go into
# every build: the release pass is enough.
set -u
if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # the same objects as in the release build"
    exit 0
fi
asked=$(nm -uA build/librecon.a | awk '{ sub(/:$/, "", $1); print $1, $NF }') # OBJECT SYMBOL
symbols=$(echo "$asked" | awk '{ print $2 }' | sort -u)
count=$(echo "$symbols" | wc -l)
number=0 status=0

holds() { # TEXT FOUND: nothing was found, and there was something to look at
    number=$((number + 1))
    if [ -z "$2" ] && [ "$count" -gt 100 ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1; of $count symbols:" $2
        status=1
    fi
}
among() { # PATTERN
    echo "$symbols" | grep -Ex "$1"
}

holds "no connection is opened, no program started" \
    "$(among 'socket|connect|bind|listen|accept|send|sendto|sendmsg|recv|getaddrinfo|gethostbyname|fork|vfork|exec[a-z]*|posix_spawnp?|system|popen|clone')"
# An MPI is loaded where a launcher has started several processes, and only the command asks for that.
holds "code is loaded by core/plugin.c alone, an MPI's only if the program starts ranks" \
    "$(echo "$asked" | awk '$2 == "dlopen" && $1 !~ /:plugin\.o$/ || $2 == "recon_launch_load" && $1 !~ /:comm\.o$/ || $2 == "recon_comm_start"')"
holds "nothing is printed" "$(among '(__)?v?f?printf(_chk)?|f?puts|f?putc|putchar|perror|stdout|stderr')"
holds "the process is not ended, nor its signals, locale or environment changed" \
    "$(among '_?exit|quick_exit|abort|kill|raise|signal|sigaction|setlocale|setenv|putenv|chdir|umask')"
# Of each object what is neither code nor constant. DW.ref: what C++ refers to its runtime by.
holds "no variable outlives a call, but for the plug-ins that are loaded and what was said of them" "$(size -A build/librecon.a |
    awk '/ex / { object = $1 } object !~ /^(plugin|cpu)\.o/ && $1 ~ /^\.(data|bss)/ && $1 !~ /rel\.ro|DW\.ref/ && $2 > 0 { print object $1 }')"
echo "1..$number"
exit $status
