#!/bin/sh
# Names a branch for the work: the commit that it grows from, none or failed.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

default_branch() {
  {
    git symbolic-ref -q refs/remotes/origin/HEAD || git ls-remote --symref origin HEAD
  } | sed -nE 's#^(ref: refs/heads|refs/remotes/origin)/([^[:blank:]]*).*#\2#p' | grep . ||
    current_branch | grep -Ex 'main|master'
}

# A name of which no branch exists, here or there.
free_branch() {
  free=relayflow/${RELAYFLOW_SLUG:-change}
  [ -z "$(commit_of refs/heads/relayflow)" ] || free=relayflow-${free#*/}
  name=$free
  number=2
  while [ -n "$(commit_of "refs/heads/$free" || remote_commit "$free")" ]; do
    free=$name-$number
    number=$((number + 1))
  done
  echo "$free"
}

# Where the branch left the remote's default branch. A clone that is not deep enough to know is deepened.
fork_point() {
  upstream=$(commit_of "refs/remotes/origin/$1") || return
  deeper=50
  until git merge-base HEAD "$upstream"; do
    [ "$(git rev-parse --is-shallow-repository)" = true ] || return
    git fetch -q --deepen="$deeper" origin || ! say 'this clone is too shallow to find the base' || return
    deeper=$((deeper * 4))
  done
}

name_missing() {
  git submodule status |
    sed -n 's/^-[0-9a-f]* \(.*\)/relayflow: the submodule \1 is not initialised/p' >&2
  git ls-files ':(attr:filter=lfs)' | head -n 20 | while IFS= read -r path; do
    ! dd if="$path" bs=50 count=1 2>/dev/null | grep -q '^version https://git-lfs' ||
      say "$path is a pointer to Git LFS: run git lfs pull"
  done
}

# What an earlier run left says nothing of this one.
set_aside() {
  mkdir -p .relayflow/earlier
  for name in $(working_files | grep -E 'md|clean') .relayflow/*.*; do
    [ ! -f "$name" ] || git ls-files --error-unmatch "$name" >/dev/null || mv -f "$name" .relayflow/earlier
  done
}

start() {
  [ "$(git rev-parse --is-inside-work-tree)" = true ] || return
  set_aside
  head=$(commit_of HEAD)
  branch=$(current_branch)
  default=$(default_branch)
  if [ -z "$branch" ] || [ "$branch" = "$default" ] || [ -z "$head" ]; then
    new=$(free_branch)
    # The branch is named without a checkout: nothing in the working tree or the index moves.
    [ -z "$head" ] || git update-ref "refs/heads/$new" "$head" '' || return
    git symbolic-ref -m 'relayflow: name a branch' HEAD "refs/heads/$new" || return
    say "the work goes to the branch $new"
  else
    head=$(fork_point "$default" || echo "$head")
  fi
  name_missing
  git symbolic-ref HEAD >.relayflow/head.ref
  echo "${head:-none}"
}

reply failed start
