#!/bin/sh
# Pushes the branch to origin and reads back what arrived there. Never forces. When the forge refuses it
# only for its workflow files, it goes without them, and the originals are kept.
# Answers `pushed`, `pushed-without-workflows`, `up-to-date` or `failed`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

REFUSAL='refusing to allow .* to create or update workflow'

push() {
  branch=$(current_branch) && [ -n "$branch" ] && head=$(head_commit) || return
  there=$(remote_commit "$branch")
  if [ "$there" = "$head" ]; then
    echo up-to-date
  elif push_branch "$branch"; then
    echo pushed
  elif grep -q "$REFUSAL" .relayflow/push.log &&
    (withhold "${there:-$(base_commit)}") && push_branch "$branch"; then
    say 'the branch was pushed without its workflow files; the originals are refs/relayflow/withheld-workflows'
    echo pushed-without-workflows
  fi
}

# Writes the commits since $1 again, each with the workflow files that $1 has. Authors, dates and messages stay.
withhold() {
  git rev-parse -q --verify "$1^{commit}" >/dev/null || return
  patch=$PWD/.relayflow/withheld-workflows.patch
  work=$(cd "$(git rev-parse --git-dir)" && pwd)/relayflow-push
  rm -f "$work".*
  export GIT_INDEX_FILE="$work.index"
  cd "./$(git rev-parse --show-cdup)" && git ls-tree -r -z "$1" .github/workflows >"$work.kept" || return
  new=$1
  for commit in $(git rev-list --reverse --topo-order "$1..$head"); do
    git read-tree "$commit" && git rm -r -q -f --cached --ignore-unmatch .github/workflows || return
    git update-index -z --index-info <"$work.kept" && tree=$(git write-tree) || return
    # A signature would no longer fit.
    new=$(git cat-file commit "$commit" | LC_ALL=C awk -v tree="$tree" -v old="$work.new" '
      BEGIN { while ((getline pair <old) > 0) { split(pair, ids, " "); now[ids[1]] = ids[2] } }
      body { print; next }
      /^gpgsig/ { signature = 1; next }
      signature && /^ / { next }
      { signature = 0 }
      /^$/ { body = 1 }
      $1 == "tree" { $2 = tree }
      $1 == "parent" && $2 in now { $2 = now[$2] }
      { print }' | git hash-object -t commit -w --stdin) || return
    echo "$commit $new" >>"$work.new"
  done
  unset GIT_INDEX_FILE
  git diff --no-ext-diff --no-color --binary "$1" "$head" -- .github/workflows | without_credentials >"$patch"
  git update-ref refs/relayflow/withheld-workflows "$head" &&
    git update-ref -m 'relayflow: withhold workflow files' HEAD "$new" "$head" &&
    git reset -q -- .github/workflows
  rm -f "$work".*
}

reply failed push
