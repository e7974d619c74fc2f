#!/bin/sh
# Whether the branch changes anything: the tracked files as they are now against the base commit.
# Answers `unchanged`, `changed` or `unknown`. Only a definite `unchanged` stops a flow.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

change_check() {
  in_checkout && restore_head && base=$(base_commit) && [ -n "$base" ] || return
  prefix=$(plain_git rev-parse --show-prefix)
  cd "./$(plain_git rev-parse --show-cdup)" || return
  # A repository's own files of these names count; what this flow made does not, nor anything in .relayflow/.
  set -- ":(top,literal,exclude)${prefix}.relayflow"
  for name in $(working_files); do
    plain_git cat-file -e "$base:$prefix${name%/}" 2>/dev/null || set -- "$@" ":(top,literal,exclude)$prefix${name%/}"
  done
  plain_git diff --quiet --no-ext-diff --no-textconv --no-renames --ignore-submodules=none "$base" -- ":(top)" "$@"
  case $? in
    0) echo unchanged ;;
    1) echo changed ;;
  esac
  name_untracked "$@"
}

# What nothing publishes, since nobody added it: people want to know.
name_untracked() {
  plain_git ls-files --others --exclude-standard -- ':(top)' "$@" | head -n 5 | while IFS= read -r path; do
    say "not added, so not published: $path"
  done
}

answer=$(change_check)
printf '%s\n' "${answer:-unknown}"
