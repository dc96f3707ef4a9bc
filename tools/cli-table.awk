# cli-table.awk - reads `recon help --help-table`, for the tools that make documents of it.
#
#   groups, heading[g]; commands, command[c], group[c], arguments[c], purpose[c], example[c, 1 ..]
#   options[c], name[c, i], short[c, i], value[c, i], kind[c, i], help[c, i]     of command c
#   settings[c], set_for[c, i], set_name[c, i], set_help[c, i]                   what --set takes
#   and the same with c = "common": of every command; c = "data": of those that read data
BEGIN { FS = "\t" }
function take(c) {
    options[c]++
    name[c, options[c]] = $2; short[c, options[c]] = $3; value[c, options[c]] = $4; kind[c, options[c]] = $5
    help[c, options[c]] = $6
}
$1 == "group" { heading[++groups] = $2 }
$1 == "command" {
    command[++commands] = $2; arguments[commands] = $3; purpose[commands] = $4
    group[commands] = groups; options[commands] = 0; examples[commands] = 0
}
$1 == "option" { take(commands) }
$1 == "common" && commands == 1 { take("common") }
$1 == "setting" {
    settings[commands]++
    set_for[commands, settings[commands]] = $2; set_name[commands, settings[commands]] = $3
    set_help[commands, settings[commands]] = $4
}
$1 == "example" { example[commands, ++examples[commands]] = $2 }

# The options of data stand behind a command's own, from --data on, which lists all sets there are. Where
# they are all there, as in the command that has most, own(c) is how many come before; else every option
# is the command's own.
function find_data(c,    i) {
    for (i = 1; i <= options[c]; i++)
        if (name[c, i] == "--data" && help[c, i] ~ /a path to such/)
            return i - 1
    return options[c]
}
function plain(text) { sub(/ \(required\)$/, "", text); return text }
function learn_data(    c, i, most, best) {
    for (c = 1; c <= commands; c++)
        if (options[c] - find_data(c) > most) {
            most = options[c] - find_data(c)
            best = c
        }
    options["data"] = most + 0
    for (i = 1; i <= most; i++) {
        name["data", i] = name[best, options[best] - most + i]
        short["data", i] = short[best, options[best] - most + i]
        value["data", i] = value[best, options[best] - most + i]
        kind["data", i] = kind[best, options[best] - most + i]
        help["data", i] = plain(help[best, options[best] - most + i])
    }
}
function own(c,    from, i) {
    if (!("data" in options))
        learn_data()
    from = find_data(c)
    if (from == options[c] || options[c] - from != options["data"])
        return options[c]
    for (i = 1; i <= options["data"]; i++)
        if (name[c, from + i] != name["data", i] || plain(help[c, from + i]) != help["data", i])
            return options[c]
    return from
}
function reads_data(c) { return own(c) < options[c] }
function needs_data(c) { return reads_data(c) && help[c, own(c) + 1] ~ /\(required\)$/ }
function usage(c) {
    return "recon " command[c] (arguments[c] == "" ? "" : " " arguments[c]) " [OPTIONS]"
}
# A command of two words, "reproduce mnist", is an experiment of the first.
function top(c,    words) { split(command[c], words, " "); return words[1] }
function experiment(c,    words) { return split(command[c], words, " ") > 1 ? words[2] : "" }
function all_commands(    c, all) {
    for (c = 1; c <= commands; c++)
        if (c == 1 || top(c) != top(c - 1))
            all = all top(c) " "
    return all
}
function experiments(of,    c, all) {
    for (c = 1; c <= commands; c++)
        if (top(c) == of && experiment(c) != "")
            all = all experiment(c) " "
    return all
}
# The commands that have experiments, the last of each.
function has_experiments(c) { return experiment(c) != "" && top(c) != top(c + 1) }
function sentence(text) { return toupper(substr(text, 1, 1)) substr(text, 2) "." }
