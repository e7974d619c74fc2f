#!/bin/sh
# Names a branch for the work before it begins, and finds the commit that it grows from.
# Answers with the id of that commit, or `none`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

default_branch() {
  remote_head=$(plain_git symbolic-ref -q --short refs/remotes/origin/HEAD 2>/dev/null)
  if [ -n "$remote_head" ]; then
    printf '%s\n' "${remote_head#origin/}"
    return
  fi
  for candidate in main master; do
    if plain_git rev-parse -q --verify "refs/remotes/origin/$candidate" >/dev/null ||
      [ "$(current_branch)" = "$candidate" ]; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

# A name of which no branch exists.
free_branch() {
  name=relayflow/${RELAYFLOW_SLUG:-change}
  number=2
  while plain_git rev-parse -q --verify "refs/heads/$name" >/dev/null; do
    name=relayflow/${RELAYFLOW_SLUG:-change}-$number
    number=$((number + 1))
  done
  printf '%s\n' "$name"
}

# Where the branch left the remote's default branch. A clone that is not deep enough to know is deepened.
fork_point() {
  upstream=refs/remotes/origin/$1
  plain_git rev-parse -q --verify "$upstream" >/dev/null || return
  deeper=50
  until plain_git merge-base HEAD "$upstream" 2>/dev/null; do
    [ "$(plain_git rev-parse --is-shallow-repository)" = true ] && [ "$deeper" -le 800 ] || return
    plain_git fetch -q --deepen="$deeper" origin >&2 || return
    deeper=$((deeper * 4))
  done
}

name_what_is_missing() {
  plain_git submodule status 2>/dev/null | sed -n 's/^-[0-9a-f]* //p' | while IFS= read -r path; do
    say "the submodule $path is not initialised: checks that need it fail until git submodule update --init"
  done
  plain_git ls-files -- .gitattributes '*/.gitattributes' 2>/dev/null | head -n 1 | grep -q . || return 0
  pointer=$(plain_git grep -l -I --max-depth=8 '^version https://git-lfs.github.com/spec/v1$' 2>/dev/null | head -n 1)
  [ -z "$pointer" ] || say "$pointer is a pointer to Git LFS, not the file: install git-lfs and run git lfs pull"
}

start() {
  in_checkout || return
  restore_head
  branch=$(current_branch)
  head=$(plain_git rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null)
  default=$(default_branch)
  if [ -z "$branch" ] || [ "$branch" = "$default" ] || [ -z "$head" ]; then
    new=$(free_branch)
    # The branch is named without a checkout: nothing in the working tree or the index moves.
    [ -z "$head" ] || plain_git update-ref "refs/heads/$new" "$head" '' || return
    plain_git symbolic-ref -m 'relayflow: name a branch' HEAD "refs/heads/$new" || return
    say "the work goes to the branch $new"
    base=$head
  else
    base=$(fork_point "$default")
  fi
  name_what_is_missing
  printf '%s\n' "${base:-$head}"
}

answer=$(start)
printf '%s\n' "${answer:-none}"
