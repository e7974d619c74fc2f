#!/bin/sh
# Takes working files out of what the branch has committed by one commit that touches neither the index nor the working
# tree of anybody's unfinished work. A file that the base has belongs to the repository and stays. Answers `done`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

drop() {
  in_checkout && restore_head && base=$(base_commit) && [ -n "$base" ] || return
  head=$(plain_git rev-parse -q --verify 'HEAD^{commit}') || return
  index=$(plain_git rev-parse --git-path relayflow-index) || return
  prefix=$(plain_git rev-parse --show-prefix)
  # From the top of the repository, where names of files and patterns mean the same.
  index=$(cd "$(dirname "$index")" && pwd)/relayflow-index.$$
  names=$index.names
  cd "./$(plain_git rev-parse --show-cdup)" || return
  set --
  for name in $(working_files); do set -- "$@" "$prefix$name"; done
  GIT_LITERAL_PATHSPECS=1 plain_git diff-tree -r -z --no-renames --diff-filter=A --name-only \
    "$base" "$head" -- "$@" >"$names"
  [ ! -s "$names" ] || commit_without
  rm -f "$index" "$names"
}

commit_without() {
  GIT_INDEX_FILE=$index plain_git read-tree "$head" &&
    GIT_INDEX_FILE=$index plain_git update-index -z --force-remove --stdin <"$names" &&
    tree=$(GIT_INDEX_FILE=$index plain_git write-tree) || return
  commit=$(with_identity plain_git commit-tree "$tree" -p "$head" -m 'Leave out the working files of the flow') &&
    plain_git update-ref -m 'relayflow: leave out working files' HEAD "$commit" "$head" || return
  # They stay where they are, and the next commit does not bring them back.
  plain_git update-index -z --force-remove --stdin <"$names"
  say "left working files out of the branch: $(tr '\0' ' ' <"$names")"
}

drop || say 'working files could not be taken out of the branch'
printf 'done\n'
