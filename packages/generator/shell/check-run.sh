#!/bin/sh
# Runs the check script of the repository, without a terminal and without the git configuration of the host.
# Answers `pass`, `fail`, `timeout`, `none` (there is no script) or `unrunnable`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

check_run() {
  run_checks .relayflow/check
}

reply unrunnable check_run
