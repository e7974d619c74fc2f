#!/bin/sh
# Runs the check script of the repository, without a terminal and without the git configuration of the host.
# Answers `pass`, `fail`, `timeout`, `none` (there is no script) or `unrunnable`.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

restore_head
run_checks .relayflow/check
