#!/bin/sh
# Pushes the branch to origin and reads back what arrived there. Never forces.
# Answers `pushed`, `up-to-date` or `failed`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

push() {
  head=$(head_commit) && branch=$(current_branch) || return
  if [ "$(remote_commit "$branch")" = "$head" ]; then
    echo up-to-date
  else
    push_branch "$branch" && echo pushed
  fi
}

reply failed push
