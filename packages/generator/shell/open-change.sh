#!/bin/sh
# Opens the change request, or brings it up to date: its address, or failed.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

open_change() {
  branch=$(current_branch) || return
  set -- --title "$RELAYFLOW_TITLE" --body-file .relayflow/pr-body.md
  if command -v relayflow-open-change >/dev/null; then
    set -- "$@" --head "$branch" ${RELAYFLOW_DRAFT:+--draft}
    # The helper of a host may know of no reviewers.
    relayflow-open-change "$@" ${RELAYFLOW_REVIEWER:+--reviewer "$RELAYFLOW_REVIEWER"} || relayflow-open-change "$@"
  elif command -v gh >/dev/null; then
    # One that is open is brought up to date.
    gh pr create "$@" --head "$branch" ${RELAYFLOW_DRAFT:+--draft} || {
      gh pr edit "$branch" "$@" >&2
      gh pr ready "$branch" ${RELAYFLOW_DRAFT:+--undo} >&2
      gh pr view "$branch" --json url,state --jq 'select(.state == "OPEN").url'
    }
    [ -z "$RELAYFLOW_REVIEWER" ] || gh pr edit "$branch" --add-reviewer "$RELAYFLOW_REVIEWER" >&2
  else
    say 'neither relayflow-open-change nor gh is installed'
  fi
}

find_url() {
  open_change 2>.relayflow/open-change.log </dev/null | grep :// | tail -n 1
  without_credentials <.relayflow/open-change.log | tail -n 20 >&2
}

reply failed find_url
