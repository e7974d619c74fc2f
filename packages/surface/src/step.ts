import type { NamedGate } from './gates.js';

/**
 * A durable step. It does nothing until its `then` is called, by `await` or by a combinator such as `Promise.all`; its outcome is journaled before the
 * body sees it, so a resumed run receives the recorded value without doing the work again.
 *
 * It rejects with an error whose `message` is `<code>: <text>` and which carries `code`. It is not a `Promise`: it has neither `catch` nor `finally`;
 * use `try`/`catch` around `await`, or `Promise.resolve(step)`.
 */
export interface Step<T> extends PromiseLike<T> {
  /**
   * Lets the step succeed only when its value passes. One gate per step; a second one is `unsupported_gate`. A failing gate rejects with `gate_failed`.
   */
  gate(named: NamedGate): Step<T>;
  /**
   * @param check called once with the journaled value; must return exactly `true`. Its verdict is journaled and reused on resume.
   * @param because what a person reads when it fails.
   */
  gate(check: (value: T) => boolean, because?: string): Step<T>;
}
