#!/bin/sh
# Takes working files that the base lacks out of what the branch has committed: `done`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# By a commit that touches nobody's unfinished work.

drop() {
  base=$(base_commit) && head=$(commit_of HEAD) || return
  working_files | xargs env git diff-tree -r -z --relative --no-renames --diff-filter=A --name-only \
    "$base" "$head" -- >"$index.names" || return
  [ -s "$index.names" ] || return 0
  GIT_INDEX_FILE=$index git read-tree "$head" &&
    GIT_INDEX_FILE=$index git update-index -z --force-remove --stdin <"$index.names" &&
    set -- "$(GIT_INDEX_FILE=$index git write-tree)" -p "$head" -m 'Leave out the working files of the flow' || return
  # In the name of the flow when nobody's is configured.
  commit=$(git commit-tree "$@" 2>/dev/null ||
    git -c user.name=relayflow -c user.email=relayflow@localhost commit-tree "$@") &&
    git update-ref -m 'relayflow: leave out working files' HEAD "$commit" "$head" || return
  # They stay where they are, and the next commit does not bring them back.
  git update-index -z --force-remove --stdin <"$index.names"
  say "left working files out of the branch: $(tr '\0\n' '  ' <"$index.names")"
}

drop_files() {
  index=$PWD/.relayflow/drop.index
  drop || say 'working files could not be taken out of the branch'
  rm -f "$index"*
}

reply 'done' drop_files
