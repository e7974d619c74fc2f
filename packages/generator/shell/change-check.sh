#!/bin/sh
# Whether the branch changes anything: unchanged, changed or unknown.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# It does when the tracked files are other than those of the base commit.

change_check() {
  regain_branch && base=$(base_commit) || return
  # A repository's own files of these names count; what this flow made does not, nor anything in .relayflow/.
  set -- ':(top)' ':(exclude).relayflow'
  for name in $(working_files); do
    git cat-file -e "$base:./${name%/}" || set -- "$@" ":(exclude)${name%/}"
  done
  git -c diff.autoRefreshIndex=true -c diff.relative=false diff --quiet --no-ext-diff --no-textconv --no-renames \
    --ignore-submodules=untracked "$base" -- "$@"
  case $? in
    0) echo unchanged ;;
    1) echo changed ;;
  esac
  # What nobody added is not published: people want to know.
  git ls-files --others --exclude-standard -- "$@" | head -n 5 | sed 's/^/relayflow: not added: /' >&2
}

reply unknown change_check
