#!/bin/sh
# Runs the branch's check script on the base commit: in place when nothing is uncommitted, else in a worktree of its
# own. The branch is checked out again whatever happens, and the worktree is removed.
# Answers as check-run does, or `unknown`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

is_clean() {
  [ -z "$(plain_git status --porcelain --untracked-files=no 2>/dev/null)" ]
}

in_place() {
  # The script as the branch has it; the base may have another, or none.
  cp .relayflow/check.sh .relayflow/base-check.script || return
  printf '%s\n%s\n' "$(current_branch)" "$head" >.relayflow/base-check.restore.new &&
    mv -f .relayflow/base-check.restore.new .relayflow/base-check.restore || return
  if plain_git checkout -q --detach "$base" -- 2>>.relayflow/base-check.log; then
    cp .relayflow/base-check.script .relayflow/check.sh
    ended=$(run_checks .relayflow/base-check)
  fi
  # What the checks changed of tracked files is theirs; it does not go along.
  restore_head
  printf '%s\n' "${ended:-}"
}

in_worktree() {
  tree=.relayflow/base-check.tree
  remove_worktree
  plain_git worktree add -q --detach "$tree" "$base" >&2 || return
  prefix=$(plain_git rev-parse --show-prefix)
  mkdir -p "$tree/$prefix.relayflow" && cp .relayflow/check.sh "$tree/$prefix.relayflow/check.sh"
  log=$PWD/.relayflow/base-check
  (cd "$tree/$prefix." && run_checks "$log")
  remove_worktree
}

remove_worktree() {
  [ ! -e .relayflow/base-check.tree ] ||
    plain_git worktree remove --force .relayflow/base-check.tree 2>/dev/null ||
    rm -rf .relayflow/base-check.tree
  plain_git worktree prune
}

base_check() {
  in_checkout && restore_head && base=$(base_commit) && [ -n "$base" ] && [ -f .relayflow/check.sh ] || return
  head=$(plain_git rev-parse -q --verify 'HEAD^{commit}') || return
  if [ "$head" = "$base" ] && is_clean; then
    run_checks .relayflow/base-check
  elif is_clean; then
    in_place
  else
    in_worktree
  fi
}

answer=$(base_check)
printf '%s\n' "${answer:-unknown}"
