#!/bin/sh
# Writes .relayflow/check-report.md, what the checks said, and .relayflow/pr-body.md, the description of the change:
# what the implementer wrote, the reference to the ticket, and that report, within what a forge takes.
# Answers `written`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# The first or last bytes of a text, in whole lines; a line that alone is too long is cut between characters.
keep() {
  LC_ALL=C awk -v end="$1" -v most="$2" '
    { line[NR] = $0; size += length($0) + 1 }
    END {
      if (size <= most) { for (i = 1; i <= NR; i++) print line[i]; exit }
      if (end == "last") print "… (" size - most " bytes before this are left out)"
      for (i = 1; i <= NR; i++) {
        at = end == "first" ? i : NR + 1 - i
        if (length(line[at]) + 1 > most - used) {
          if (used) break
          line[at] = substr(line[at], 1, most)
          sub(/[\300-\367]?[\200-\277]*$/, "", line[at])
        }
        used += length(line[at]) + 1
        if (!to || end == "first") to = at
        if (!from || end == "last") from = at
        if (used >= most) break
      }
      for (i = from; i <= to; i++) print line[i]
      if (end == "first") print "… (" size - most " bytes after this are left out)"
    }'
}

# Closes what a cut left open, so that it does not swallow what follows.
closed() {
  awk '
    match($0, /^ ? ? ?(```+|~~~+)/) {
      mark = substr($0, RSTART, RLENGTH)
      gsub(/ /, "", mark)
      same = substr(mark, 1, 1) == substr(fence, 1, 1) && length(mark) >= length(fence)
      if (fence == "") fence = mark
      else if (same && $0 ~ /^[ `~]*$/) fence = ""
    }
    fence == "" {
      rest = $0
      while (match(rest, /<!--|-->/)) {
        comment = substr(rest, RSTART, 4) == "<!--"
        rest = substr(rest, RSTART + RLENGTH)
      }
    }
    { print }
    END {
      if (fence != "") print fence
      if (comment) print "-->"
    }'
}

# The end of a text between fences that are longer than any in it.
fenced() {
  fence=$(awk '
    BEGIN { most = 2 }
    {
      rest = $0
      while (match(rest, /`+/)) {
        if (RLENGTH > most) most = RLENGTH
        rest = substr(rest, RSTART + RLENGTH)
      }
    }
    END { while (most-- >= 0) printf "`" }' "$1")
  printf '%s\n' "$fence"
  keep last "$2" <"$1" | tr -d '\000-\010\013-\037\177'
  printf '%s\n' "$fence"
}

verdict() {
  case ${RELAYFLOW_CHECK_RESULT:-} in
    pass) echo 'The checks pass.' ;;
    fail) echo 'The checks fail.' ;;
    timeout) echo "The checks did not end within $(cat .relayflow/check.limit) seconds and were stopped." ;;
    none) echo 'No checks were found in this repository, so none ran.' ;;
    unrunnable) echo 'The checks could not be run.' ;;
    *) echo 'The checks were not run.' ;;
  esac
  case ${RELAYFLOW_BASE_RESULT:-} in
    pass | none) echo 'They pass on the commit that the branch grew from.' ;;
    fail | timeout) echo 'They fail on the commit that the branch grew from as well.' ;;
    unknown | unrunnable) echo 'It could not be found out how they end on the commit that the branch grew from.' ;;
  esac
}

origin() {
  case ${RELAYFLOW_CHECK_SOURCE:-} in
    input) echo 'The command was given.' ;;
    repository) echo 'The repository has the script itself, in .relayflow/check.sh.' ;;
    discovered) echo 'An agent wrote the script after what CI does.' ;;
    default) echo 'The script is the usual one for a project of this kind.' ;;
  esac
}

report() {
  printf '%s %s\n\n' "$(verdict | tr '\n' ' ')" "$(origin)"
  if [ -s .relayflow/check.sh ]; then
    printf 'What ran:\n\n'
    fenced .relayflow/check.sh 3000
  fi
  for log in check base-check; do
    [ -s ".relayflow/$log.log" ] || continue
    [ "$log" = base-check ] || [ "${RELAYFLOW_CHECK_RESULT:-}" != pass ] || continue
    printf '\n<details><summary>%s: the end of its output (exit status %s, %s seconds)</summary>\n\n' "$log" \
      "$(cat ".relayflow/$log.exit" 2>/dev/null)" "$(cat ".relayflow/$log.elapsed" 2>/dev/null)"
    fenced ".relayflow/$log.log" 6000
    printf '\n</details>\n'
  done
  [ -n "${RELAYFLOW_CHECK_NOTES:-}" ] || return 0
  printf '\nWhat was repaired:\n\n'
  printf '%s\n' "$RELAYFLOW_CHECK_NOTES" | keep first 4000 | closed
}

body() {
  if [ -s summary.md ]; then
    # The one line that closes a ticket is the flow's own.
    keep first 36000 <summary.md |
      sed -E 's/^([[:space:]]*)([Ff]ix(es|ed)?|[Cc]lose[sd]?|[Rr]esolve[sd]?)[[:space:]]+#/\1Mentions #/' |
      closed
  else
    printf '%s\n' "${RELAYFLOW_TITLE:-}"
  fi
  printf '\n%s\n\n' "${RELAYFLOW_REFERENCE:-}"
  [ -z "${RELAYFLOW_OUTCOME:-}" ] || printf '%s\n\n' "$RELAYFLOW_OUTCOME"
  printf '## Checks\n\n'
  cat .relayflow/check-report.md
}

mkdir -p .relayflow
report | without_credentials >.relayflow/check-report.md
body | without_credentials >.relayflow/pr-body.md
printf 'written\n'
