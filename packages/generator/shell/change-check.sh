#!/bin/sh
# Whether the branch changes anything: the tracked files as they are now against the base commit.
# Answers `unchanged`, `changed` or `unknown`. Only a definite `unchanged` stops a flow.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

change_check() {
  base=$(base_commit) && prefix=$(run_prefix) && cd "./$(git rev-parse --show-cdup)" || return
  # A repository's own files of these names count; what this flow made does not, nor anything in .relayflow/.
  set -- ":(top,literal,exclude)${prefix}.relayflow"
  for name in $(working_files); do
    git cat-file -e "$base:$prefix${name%/}" 2>/dev/null || set -- "$@" ":(top,literal,exclude)$prefix${name%/}"
  done
  git -c diff.autoRefreshIndex=true -c diff.relative=false diff --quiet --no-ext-diff --no-textconv \
    --no-renames --ignore-submodules=untracked "$base" -- ':(top)' "$@"
  case $? in
    0) echo unchanged ;;
    1) echo changed ;;
  esac
  # What nobody added is not published: people want to know.
  git ls-files --others --exclude-standard -- ':(top)' "$@" | head -n 5 | while IFS= read -r path; do
    say "not added, so not published: $path"
  done
}

reply unknown change_check
