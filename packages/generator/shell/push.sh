#!/bin/sh
# Pushes the branch: pushed, pushed-without-workflows, up-to-date or failed.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# Reads back what arrived, and never forces. When the forge refuses the branch only for its workflow files, it goes
# without them: the originals are kept, the edits in a patch.

push() {
  regain_branch && head=$(commit_of HEAD) && branch=$(current_branch) || return
  if [ "$(remote_commit "$branch")" = "$head" ]; then
    echo up-to-date
  elif push_branch "$branch"; then
    echo pushed
  elif grep -q 'refusing to allow .* to create or update .*workflow' .relayflow/push.log && withhold; then
    if push_branch "$branch"; then
      say 'the originals are at refs/relayflow/withheld-workflows'
      echo pushed-without-workflows
    else
      move_branch "$new" "$head"
    fi
  fi
}

# Writes the commits that the remote lacks again, with the workflow files of those that it has.
withhold() {
  files=':(top).github/workflows'
  base=$(base_commit)
  export GIT_INDEX_FILE="$PWD/.relayflow/push.index"
  for commit in $(git rev-list --reverse --topo-order "$head" --not --remotes ${base:+"$base"}); do
    parents='' from=''
    for parent in $(git rev-parse "$commit^@"); do
      eval "new=\${new_$parent:-}"
      # A merge takes them from the parent that the remote has.
      if [ -z "$new" ] || [ -z "$from" ]; then from=${new:-$parent}; fi
      parents="$parents
parent ${new:-$parent}"
    done
    git read-tree "$commit" &&
      git reset -q "${from:-$(git hash-object -t tree /dev/null)}" -- "$files" && tree=$(git write-tree) || return
    # Who, when and why stay. A signature would no longer fit.
    new=$({
      echo "tree $tree$parents"
      git cat-file commit "$commit" | LC_ALL=C sed -E '1,/^$/{/^(author|committer|encoding) |^$/!d;}'
    } | git hash-object -t commit -w --stdin) && eval "new_$commit=\$new" || return
  done
  rm -f "$GIT_INDEX_FILE"
  unset GIT_INDEX_FILE
  [ "${new:-$head}" != "$head" ] &&
    git diff-tree -p --binary "$new" "$head" -- "$files" >>.relayflow/withheld-workflows.patch &&
    git update-ref --create-reflog refs/relayflow/withheld-workflows "$head" && move_branch "$head" "$new"
}

# Moves the branch from one commit to another, and with it the files between them that nobody is editing.
move_branch() {
  git read-tree -m -u "$1" "$2" || git reset -q "$2" -- "$files"
  git update-ref -m 'relayflow: workflow files' HEAD "$2" "$1"
}

reply failed push
