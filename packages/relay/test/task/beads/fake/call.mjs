import { act } from './acts.mjs';
import { parse } from './flags.mjs';
import { Refusal } from './refusal.mjs';
import { logCall, openState } from './state.mjs';

const WRITES = new Set(['create', 'update', 'comment', 'close', 'reopen', 'dep add', 'label add', 'label remove']);

/** One call of the stand-in: what it prints and how it ends, with the behavior that it was called under. `input` is only asked for by calls that have one. */
export function call({ argv, env, cwd, input }) {
  let behavior = {};
  try {
    for (const name of ['BEADS_DB', 'BD_DB']) if ((env[name] ?? '') !== '') throw new Refusal('redirected', `${name} chooses another database`);
    const parsed = parse(argv, input);
    const state = openState(env.BEADS_DIR, argv);
    let fail;
    try {
      behavior = state.data.behavior;
      logCall(env.BEADS_DIR, { argv, cwd, input: parsed.input ?? null, env: Object.fromEntries(Object.entries(env).filter(([key]) => /^(?:BEADS|BD|RELAY_FLOW|GIT)_/.test(key))) });
      fail = disturbance(state.data, parsed.name);
      // A bd that fails may well repeat what it was given.
      const lost = fail && new Refusal(fail.code ?? 'failed', fail.echo ? `${fail.text} (${argv.join(' ')}: ${parsed.input ?? ''})` : fail.text);
      if (lost !== undefined && fail.effect !== true) throw lost;
      const result = act(state.data, parsed);
      if (lost !== undefined) throw lost;
      return { exitCode: 0, stdout: printed(result, behavior), stderr: '', behavior };
    } catch (error) {
      // Nothing of a refused call is kept, but a lost answer is to a call that had its effect.
      if (fail === undefined) state.forget();
      throw error;
    } finally {
      state.close();
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { text, code } = error;
    return { exitCode: 1, stdout: '', stderr: argv.includes('--json') && behavior.jsonErrors ? `${JSON.stringify({ error: text, code })}\n` : `Error: ${text}\n`, behavior };
  }
}

/** What goes wrong with this call, if anything. Some of it is for once. */
function disturbance(state, name) {
  const { fail } = state.behavior;
  if (fail === undefined || !(fail.verbs ?? [...WRITES]).includes(name)) return undefined;
  if ((fail.after ?? 0) > 0) {
    fail.after -= 1;
    return undefined;
  }
  if (fail.always !== true) delete state.behavior.fail;
  return fail;
}

function printed(result, behavior) {
  let shown = result;
  if (behavior.wrap && Array.isArray(result)) shown = { schema_version: 2, items: result };
  if (behavior.bareObjects && Array.isArray(result) && result.length === 1) shown = result[0];
  const notices = behavior.notices ? '[sync] pulled 3 changes {fast}\nbd 1.3.0 is available.\n' : '';
  return `${notices}${behavior.garbage ? 'Everything is fine.\n[{"id": "bd-1", ' : `${JSON.stringify(shown, null, behavior.compact ? 0 : 2)}\n`}`;
}
