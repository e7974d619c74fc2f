#!/bin/sh
# Writes what the checks said, and the description of the change: written.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# check-report.md, and pr-body.md: summary.md, the reference to the ticket, and that report, within what a forge takes.

# The last $2 bytes of a file between fences that are longer than any in it.
fenced() {
  fence='``````````'
  echo "$fence"
  without_credentials <"$1" | LC_ALL=C sed "s/$(printf '\033')\[[0-9;]*[A-Za-z]//g" |
    LC_ALL=C tr -d '\000-\010\013-\037\177' | tail -c "$2" | fit "$2"
  echo "$fence"
}

verdict() {
  on='on its base commit'
  case $RELAYFLOW_CHECK_RESULT in
    pass) echo The checks pass. ;;
    fail) echo The checks fail. ;;
    timeout) echo "The checks were stopped after $(cat .relayflow/check.limit) seconds." ;;
    none) echo No checks were found in this repository. ;;
    unrunnable) echo The checks could not be run. ;;
    *) echo The checks were not run. ;;
  esac
  case $RELAYFLOW_BASE_RESULT in
    pass) echo "They pass $on." ;;
    none) echo "There are no such checks $on." ;;
    fail | timeout) echo "They fail $on as well." ;;
    unknown | unrunnable) echo "How they end $on is not known." ;;
  esac
  case $RELAYFLOW_CHECK_SOURCE in
    input) echo The command was given. ;;
    repository) echo The script is that of the repository. ;;
    discovered) echo An agent wrote the script after what CI does. ;;
    default) echo The script is usual for such a project. ;;
  esac
  # The next run need not find it out again.
  case $RELAYFLOW_CHECK_RESULT-$RELAYFLOW_CHECK_SOURCE$RELAYFLOW_CHECK_REPAIRED in
    pass-discovered* | pass-default* | pass-*1)
      echo 'Commit it as .relayflow/check.sh, or name its command in the flow.'
      ;;
  esac
}

report() {
  verdict | tr '\n' ' '
  if [ -s .relayflow/check.sh ]; then
    printf '\n\nWhat ran:\n\n'
    fenced .relayflow/check.sh 3000
  fi
  for log in .relayflow/check .relayflow/base-check; do
    { [ -s "$log.log" ] && [ "$log$RELAYFLOW_CHECK_RESULT" != .relayflow/base-checkpass ]; } || continue
    printf '\n<details><summary>%s: its output (exit status %s, %s seconds)</summary>\n\n' "${log#*/}" \
      "$(cat "$log.exit")" "$(cat "$log.elapsed")"
    fenced "$log.log" 6000
    printf '\n</details>\n'
  done
  [ -z "$RELAYFLOW_CHECK_NOTES" ] || printf '\nWhat was repaired:\n\n%s\n' "$RELAYFLOW_CHECK_NOTES" | fit 4000
}

body() {
  if [ -s summary.md ]; then cat summary.md; else printf '%s\n' "$RELAYFLOW_TITLE"; fi | fit 30000
  printf '\n%s\n\n' "$RELAYFLOW_REFERENCE"
  printf '%s\n' "$RELAYFLOW_OUTCOME" | fit 2000
  printf '\n## Checks\n\n'
  cat .relayflow/check-report.md
  [ -s .relayflow/withheld-workflows.patch ] || return 0
  printf '\n## Workflow files\n\nThe forge refused them from this account. For git apply:\n\n'
  fenced .relayflow/withheld-workflows.patch 9000
}

write() {
  report >.relayflow/check-report.md
  body >.relayflow/pr-body.md
} 2>/dev/null

reply written write
