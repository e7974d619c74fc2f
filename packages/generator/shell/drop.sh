#!/bin/sh
# Takes working files out of what the branch has committed by one commit that touches neither the index nor the working
# tree of anybody's unfinished work. A file that the base has belongs to the repository and stays. Answers `done`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

drop() {
  base=$(base_commit) && head=$(head_commit) || return
  index=$PWD/.relayflow/drop.index
  prefix=$(run_prefix)
  # From the top of the repository, where names of files and patterns mean the same.
  cd "./$(git rev-parse --show-cdup)" || return
  set --
  for name in $(working_files); do set -- "$@" ":(literal)$prefix$name"; done
  git diff-tree -r -z --no-renames --diff-filter=A --name-only "$base" "$head" -- "$@" >"$index.names" || return
  [ ! -s "$index.names" ] || commit_without
}

commit_without() {
  GIT_INDEX_FILE=$index git read-tree "$head" &&
    GIT_INDEX_FILE=$index git update-index -z --force-remove --stdin <"$index.names" &&
    tree=$(GIT_INDEX_FILE=$index git write-tree) &&
    commit=$(with_identity git commit-tree "$tree" -p "$head" -m 'Leave out the working files of the flow') &&
    git update-ref -m 'relayflow: leave out working files' HEAD "$commit" "$head" || return
  # They stay where they are, and the next commit does not bring them back.
  git update-index -z --force-remove --stdin <"$index.names"
  say "left working files out of the branch: $(tr '\0\n' '  ' <"$index.names")"
}

drop_files() {
  (drop) || say 'working files could not be taken out of the branch'
  rm -f .relayflow/drop.index*
}

reply 'done' drop_files
