#!/bin/sh
# Takes working files that the base lacks out of the branch: done.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# By a commit that touches nobody's unfinished work.

drop() {
  regain_branch && base=$(base_commit) && head=$(commit_of HEAD) || return
  working_files | xargs env git diff-tree -r -z --relative --no-renames --diff-filter=A --name-only \
    "$base" "$head" -- >"$index.names" || return
  [ -s "$index.names" ] || return 0
  export GIT_INDEX_FILE="$index"
  git read-tree "$head" && git update-index -z --force-remove --stdin <"$index.names" &&
    set -- "$(git write-tree)" -p "$head" -m 'Leave out the working files of the flow' || return
  unset GIT_INDEX_FILE
  # In the name of the flow when nobody's is configured.
  commit=$(git commit-tree "$@" ||
    git -c user.name=relayflow -c user.email=relayflow@localhost commit-tree "$@") &&
    git update-ref -m 'relayflow: leave out files' HEAD "$commit" "$head" || return
  # They stay where they are, and the next commit does not bring them back.
  git update-index -z --force-remove --stdin <"$index.names"
  say "left out of the branch: $(tr '\0\n' '  ' <"$index.names")"
}

drop_files() {
  index=$PWD/.relayflow/drop.index
  drop || say 'working files could not be taken out'
  rm -f "$index"*
}

reply 'done' drop_files
