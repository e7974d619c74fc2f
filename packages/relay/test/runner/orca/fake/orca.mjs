#!/usr/bin/env node
// A strict stand-in for Orca's command line. Keeps what it knows in FAKE_ORCA_HOME/state.json; worktrees are git's, terminals run their command.
// `orca fake …` is how a test plays the person, the application and the world.
import { act, Refusal } from './acts.mjs';
import { control } from './control.mjs';
import { parse } from './flags.mjs';
import { withState } from './state.mjs';

const [noun, verb, ...rest] = process.argv.slice(2);

function answer(envelope, { exitCode }) {
  process.stdout.write(`${JSON.stringify(envelope)}\n`);
  process.exitCode = exitCode;
}

if (noun === 'fake') {
  process.stdout.write(JSON.stringify(withState((state) => control(state, verb, rest)) ?? null));
} else {
  withState((state) => {
    const meta = { runtimeId: `run-${state.runtime}` };
    const refusedExit = state.refusedExit ?? 1;
    if (state.app === 'refused') {
      process.stderr.write('connect ECONNREFUSED /run/orca.sock\n');
      process.exitCode = 1;
      return;
    }
    if (state.malformed) {
      process.stdout.write('Orca 1.4: an update is available\n{"ok":');
      return;
    }
    try {
      if (state.app === 'unavailable') throw new Refusal('runtime_unavailable', 'The Orca app is not running.');
      const name = `${noun} ${verb}`;
      const result = act(state, name, parse(name, rest));
      const changes = ['repo add', 'worktree create', 'worktree rm', 'terminal create', 'terminal close'].includes(name);
      if (changes && state.lose === 'hang-up') {
        state.lose = undefined;
        process.stderr.write('socket hang up\n');
        process.exitCode = 1;
      } else if (changes && state.lose === 'runtime-error') {
        state.lose = undefined;
        throw new Refusal('runtime_error', 'The runtime failed.');
      } else {
        answer({ id: `call-${(state.calls += 1)}`, ok: true, result, _meta: meta }, { exitCode: 0 });
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer({ id: `call-${(state.calls += 1)}`, ok: false, error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) }, _meta: meta }, { exitCode: refusedExit });
    }
  });
}
