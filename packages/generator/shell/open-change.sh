#!/bin/sh
# Opens the change request of the branch, or finds the one that is open. Answers with its address, or `failed`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

open_change() {
  branch=$(current_branch) && [ -n "$branch" ] || return
  set -- --title "$RELAYFLOW_TITLE" --body-file .relayflow/pr-body.md --head "$branch"
  [ -z "${RELAYFLOW_DRAFT:-}" ] || set -- "$@" --draft
  if command -v relayflow-open-change >/dev/null 2>&1; then
    relayflow-open-change "$@"
  elif command -v gh >/dev/null 2>&1; then
    gh pr create "$@" || gh pr view "$branch" --json url --jq .url
  else
    say 'neither relayflow-open-change nor gh is installed: the branch is pushed, and no change was opened'
  fi
}

answer=$(open_change 2>.relayflow/open-change.log </dev/null | grep -Eo '[A-Za-z]+://[^[:space:]]+' | tail -n 1)
without_credentials <.relayflow/open-change.log | tail -n 20 >&2
printf '%s\n' "${answer:-failed}"
