#!/bin/sh
# Pushes the branch to origin and reads back what arrived there. Never forces.
# Answers `pushed`, `up-to-date` or `failed`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

push() {
  in_checkout && restore_head && branch=$(current_branch) && [ -n "$branch" ] || return
  head=$(plain_git rev-parse -q --verify 'HEAD^{commit}') || return
  if [ "$(remote_commit "$branch")" = "$head" ]; then
    echo up-to-date
    return
  fi
  push_branch "$branch" && echo pushed
}

answer=$(push)
printf '%s\n' "${answer:-failed}"
