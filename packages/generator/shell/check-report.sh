#!/bin/sh
# Writes .relayflow/check-report.md, what the checks said, and .relayflow/pr-body.md, the description of the change:
# what the implementer wrote, the reference to the ticket, and that report, within what a forge takes.
# Answers `written`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# Text for a description: the one line that closes a ticket is the flow's own.
fit() {
  without_credentials | LC_ALL=C awk '
    BEGIN { closing = "(close[sd]?|fix(es|ed)?|resolve[sd]?):?[ \t]+[^ \t]*(#|/issues/)[0-9]" }
    {
      while (match(tolower($0), closing)) {
        words = substr($0, RSTART, RLENGTH)
        sub(/[^ \t]*$/, "ticket &", words)
        $0 = substr($0, 1, RSTART - 1) words substr($0, RSTART + RLENGTH)
      }
      print
    }' | keep "$@"
}

# Closes what a text leaves open, so that it does not swallow what follows.
closed() {
  awk '
    match($0, /^ ? ? ?(```+|~~~+)/) {
      mark = substr($0, RSTART, RLENGTH)
      gsub(/ /, "", mark)
      if (fence == "") fence = mark
      else if (index(mark, fence) == 1 && $0 ~ /^[ `~]*$/) fence = ""
    }
    fence == "" {
      for (rest = $0; match(rest, /<!--|-->/); rest = substr(rest, RSTART + RLENGTH)) {
        comment = substr(rest, RSTART, 1) == "<"
      }
    }
    { print }
    END {
      if (fence != "") print fence
      if (comment) print "-->"
    }'
}

# The end of a file between fences that are longer than any in it.
fenced() {
  fence='``````````'
  printf '%s\n' "$fence"
  tail -c 99999 "$1" | LC_ALL=C sed -e "s/$(printf '\033')\[[0-9;]*[A-Za-z]//g" -e "s/$fence*/${fence#?}/g" |
    LC_ALL=C tr -d '\000-\010\013-\037\177' | fit tail "$2"
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
    pass) echo 'They pass on the commit that the branch grew from.' ;;
    none) echo 'The commit that the branch grew from has no such checks.' ;;
    fail | timeout) echo 'They fail on the commit that the branch grew from as well.' ;;
    unknown | unrunnable) echo 'How they end on the commit that the branch grew from could not be found out.' ;;
  esac
  case ${RELAYFLOW_CHECK_SOURCE:-} in
    input) echo 'The command was given.' ;;
    repository) echo 'The repository has the script itself, in .relayflow/check.sh.' ;;
    discovered) echo 'An agent wrote the script after what CI does.' ;;
    default) echo 'The script is the usual one for a project of this kind.' ;;
  esac
}

report() {
  verdict | tr '\n' ' '
  if [ -s .relayflow/check.sh ]; then
    printf '\n\nWhat ran:\n\n'
    fenced .relayflow/check.sh 3000
  fi
  for log in check base-check; do
    if [ ! -s ".relayflow/$log.log" ] || [ "$log${RELAYFLOW_CHECK_RESULT:-}" = base-checkpass ]; then continue; fi
    printf '\n<details><summary>%s: the end of its output (exit status %s, %s seconds)</summary>\n\n' "$log" \
      "$(cat ".relayflow/$log.exit" 2>/dev/null)" "$(cat ".relayflow/$log.elapsed" 2>/dev/null)"
    fenced ".relayflow/$log.log" 6000
    printf '\n</details>\n'
  done
  [ -z "${RELAYFLOW_CHECK_NOTES:-}" ] || {
    printf '\nWhat was repaired:\n\n'
    printf '%s\n' "$RELAYFLOW_CHECK_NOTES" | fit head 4000 | closed
  }
}

body() {
  if [ -s summary.md ]; then cat summary.md; else printf '%s\n' "${RELAYFLOW_TITLE:-}"; fi | fit head 36000 | closed
  printf '\n%s\n\n' "${RELAYFLOW_REFERENCE:-}"
  [ -z "${RELAYFLOW_OUTCOME:-}" ] || printf '%s\n\n' "$RELAYFLOW_OUTCOME"
  printf '## Checks\n\n'
  cat .relayflow/check-report.md
  [ -s .relayflow/withheld-workflows.patch ] || return 0
  printf '\n## Workflow files\n\nThe forge refused them from this account. Give this to git apply:\n\n'
  fenced .relayflow/withheld-workflows.patch 9000
}

write() {
  report >.relayflow/check-report.md
  body >.relayflow/pr-body.md
}

reply written write
