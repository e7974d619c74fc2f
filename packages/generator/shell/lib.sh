# Functions that the parts of a flow share. A part holds those that it uses.
# shellcheck shell=sh

# Says something to people. Only the answer of a part goes to standard output.
say() {
  printf 'relayflow: %s\n' "$*" >&2
}

# Git whose output no configuration of its user changes, and which asks nothing.
plain_git() {
  GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_PAGER=cat GIT_EDITOR=: git \
    -c core.quotePath=false -c core.fsmonitor=false -c color.ui=false -c core.commentChar='#' \
    -c diff.external= -c diff.noprefix=false -c diff.mnemonicPrefix=false -c diff.renames=false \
    -c diff.ignoreSubmodules=none -c status.showUntrackedFiles=normal -c commit.gpgSign=false \
    -c core.hooksPath=/dev/null -c gc.auto=0 -c maintenance.auto=false -c advice.detachedHead=false "$@"
}

# Whether this is a checkout. Anything else a part is asked in has no answer.
in_checkout() {
  [ "$(plain_git rev-parse --is-inside-work-tree 2>/dev/null)" = true ]
}

# The branch that is checked out; empty when none is.
current_branch() {
  plain_git symbolic-ref -q --short HEAD
}

# The commit that the branch grew from; empty when it is not known, or not here.
base_commit() {
  [ -n "${RELAYFLOW_BASE:-}" ] || return 0
  plain_git rev-parse -q --verify "$RELAYFLOW_BASE^{commit}" 2>/dev/null
}

# Removes the lock of an index whose git was killed. One that a living process has open stays.
clear_index_lock() {
  lock=$(plain_git rev-parse --git-path index.lock 2>/dev/null) || return 0
  [ -e "$lock" ] || return 0
  lock_file=$(cd -P "$(dirname "$lock")" && pwd)/index.lock
  [ -d /proc/self/fd ] || return 0
  for open_file in /proc/[0-9]*/fd/*; do
    [ "$(readlink "$open_file" 2>/dev/null)" != "$lock_file" ] || return 0
  done
  rm -f "$lock_file" && say "removed $lock_file, which a git that was stopped had left"
}

# Comes back to the branch from which a killed run had gone away to look at the base commit.
restore_head() {
  clear_index_lock
  [ -f .relayflow/base-check.restore ] || return 0
  {
    read -r restore_branch
    read -r restore_commit
  } <.relayflow/base-check.restore
  if [ -n "$restore_commit" ] && plain_git rev-parse -q --verify "$restore_commit^{commit}" >/dev/null 2>&1; then
    plain_git checkout -q -f "${restore_branch:-$restore_commit}" -- 2>/dev/null ||
      plain_git checkout -q -f "$restore_commit" -- || return 1
    say "came back to ${restore_branch:-$restore_commit} from the base commit"
  fi
  [ ! -f .relayflow/base-check.script ] || mv -f .relayflow/base-check.script .relayflow/check.sh
  rm -f .relayflow/base-check.restore
}

# The working files of a flow, one a line, relative to where it runs. A folder ends with a slash.
working_files() {
  printf '%s\n' summary.md plan.md reviewed-plan.md review.md review.clean review-blocked.md comparison.md \
    prototype-notes.md .relayflow/ .relayflowd/ START-HERE.txt flow-input.json relay-preflight.mjs \
    software-factory.flow.mts
}

# Runs .relayflow/check.sh here, with its output in $1.log and how it ended in $1.exit, .elapsed and .limit.
# Answers with how it ended.
run_checks() {
  limit=${RELAYFLOW_CHECK_LIMIT:-840}
  rm -f "$1.log" "$1.exit" "$1.elapsed"
  [ -f .relayflow/check.sh ] || {
    printf 'none\n'
    return
  }
  printf '%s\n' "$limit" >"$1.limit"
  begun=$(date +%s)
  limited_checks "$1" >"$1.log" 2>&1 </dev/null
  status=$?
  printf '%s\n' "$status" >"$1.exit"
  printf '%s\n' "$(($(date +%s) - begun))" >"$1.elapsed"
  tail -n 40 "$1.log" >&2
  if [ -e "$1.stopped" ]; then
    rm -f "$1.stopped"
    say "the checks were stopped after $limit seconds"
    printf 'timeout\n'
    return
  fi
  case $status in
    0) printf 'pass\n' ;;
    126 | 127) printf 'unrunnable\n' ;;
    *) printf 'fail\n' ;;
  esac
}

# The check script in a process group of its own, which is stopped as a whole at the limit.
limited_checks() {
  (
    unset GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS
    rm -f "$1.stopped"
    # A shell without a terminal may be unable to make groups; where setsid is missing, it is one that can.
    if command -v setsid >/dev/null 2>&1; then
      setsid sh .relayflow/check.sh &
    else
      set -m
      sh .relayflow/check.sh &
      set +m
    fi
    checks=$!
    (
      sleep "$limit" &
      sleeper=$!
      trap 'kill "$sleeper" 2>/dev/null; exit 0' TERM
      wait "$sleeper"
      : >"$1.stopped"
      kill -TERM "-$checks" 2>/dev/null
      sleep 5
      kill -KILL "-$checks" 2>/dev/null
    ) &
    watch=$!
    wait "$checks"
    ended=$?
    [ -e "$1.stopped" ] || kill -TERM "$watch" 2>/dev/null
    wait "$watch" 2>/dev/null
    # What the script left in its group ends with it.
    kill -KILL "-$checks" 2>/dev/null
    exit "$ended"
  )
}

# Runs a command that makes a commit, in the name of the flow when nobody's is configured.
with_identity() {
  if plain_git var GIT_COMMITTER_IDENT >/dev/null 2>&1; then
    "$@"
  else
    GIT_AUTHOR_NAME=relayflow GIT_AUTHOR_EMAIL=relayflow@localhost \
      GIT_COMMITTER_NAME=relayflow GIT_COMMITTER_EMAIL=relayflow@localhost "$@"
  fi
}

# Takes user names and passwords out of addresses.
without_credentials() {
  sed 's#\([A-Za-z][A-Za-z0-9+.-]*://\)[^/@[:space:]]*@#\1***@#g'
}

# The commit that a branch of the remote is at; empty when it has none.
remote_commit() {
  plain_git ls-remote --heads origin "refs/heads/$1" 2>/dev/null | cut -f 1
}

# Pushes a branch with its hooks, and reads back what arrived: that a push says it worked does not prove it.
push_branch() {
  mkdir -p .relayflow
  GIT_TERMINAL_PROMPT=0 git push -u origin "HEAD:refs/heads/$1" </dev/null >.relayflow/push.log 2>&1
  status=$?
  without_credentials <.relayflow/push.log >.relayflow/push.log.new
  mv -f .relayflow/push.log.new .relayflow/push.log
  tail -n 20 .relayflow/push.log >&2
  [ "$status" -eq 0 ] || return
  [ "$(remote_commit "$1")" = "$(plain_git rev-parse HEAD)" ] || {
    say "the push said that it worked, and the remote does not have the commit"
    return 1
  }
}
