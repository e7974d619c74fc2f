#!/bin/sh
# Runs the check script on the base commit: as on the branch, or unknown.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# In place when nothing is uncommitted, else in a worktree that is removed. It comes back whatever happens.

# Usual checks that the base has none of are new. They are looked for where the script goes before it checks.
run_here() {
  if [ "$RELAYFLOW_CHECK_SOURCE" = default ] &&
    ! (eval "$(grep '^cd ' .relayflow/check.sh)" && default_checks) >/dev/null 2>&1; then
    echo none
  else
    run_checks "$1"
  fi
}

in_place() {
  # The script as the branch has it; the base may have another, or none.
  kept=.relayflow/base-check
  cp .relayflow/check.sh "$kept.script" && echo "$head $(current_branch)" >"$kept.new" &&
    mv -f "$kept.new" "$kept.restore" || return
  git checkout -q --detach --no-overwrite-ignore "$base" -- && cp "$kept.script" .relayflow/check.sh && run_here "$kept"
  checked=$?
  # What the checks changed of tracked files is theirs; it does not go along.
  restore_head
  return "$checked"
}

in_worktree() {
  tree=$PWD/.relayflow/base-check.tree
  rm -rf "$tree"
  git worktree add -q -f --detach "$tree" "$base" || return
  there=$tree/$(git rev-parse --show-prefix).relayflow
  mkdir -p "$there" && cp .relayflow/check.sh "$there" && (cd "$there/.." && run_here "${tree%.*}")
  rm -rf "$tree"
  git worktree prune
}

base_check() {
  [ -s .relayflow/check.sh ] && base=$(base_commit) && head=$(commit_of HEAD) || return
  changed=$(git status --porcelain --untracked-files=no) || return
  # What is not tracked may stand in the way of the base.
  { [ -z "$changed" ] && in_place; } || in_worktree
}

reply unknown base_check
