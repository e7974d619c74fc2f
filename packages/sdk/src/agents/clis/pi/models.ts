/*
 * Which model pi takes. `--model` is a pattern to it: what is no exact name is searched for in ids and names, and the first find is used without a
 * word (`--model sonnet`, observed with 0.73.1 and 1.6.0). An exact `provider/id` is never searched for, so that is what it is given.
 */

/** `provider/id` of each row of `pi --list-models`, which lists what those providers offer that somebody is signed in to. Pure. */
export function listedModels(table: string): readonly string[] {
  const lines = table.split('\n');
  const head = lines.findIndex((line) => /^provider +model +context/.test(line));
  const model = lines[head]?.indexOf('model') ?? -1;
  const context = lines[head]?.indexOf('context') ?? -1;
  if (model < 0 || context < 0) return [];
  return lines.slice(head + 1).flatMap((line) => {
    const [provider, id] = [line.slice(0, model).trim(), line.slice(model, context).trim()];
    return provider === '' || id === '' ? [] : [`${provider}/${id}`];
  });
}

/** How hard it is to think, written behind a model: `sonnet:high`. */
const LEVEL = /:(?:off|minimal|low|medium|high|xhigh|max)$/;

/** The models that bear a name exactly: `provider/id`, or an id that several providers may offer. Case does not count, as in pi. A level of thinking stays behind it. Pure. */
export function modelsNamed(asked: string, models: readonly string[]): readonly string[] {
  const exact = named(asked, models);
  if (exact.length > 0) return exact;
  const level = LEVEL.exec(asked)?.[0];
  return level === undefined ? [] : named(asked.slice(0, -level.length), models).map((model) => model + level);
}

function named(asked: string, models: readonly string[]): readonly string[] {
  const wanted = asked.toLowerCase();
  const whole = models.filter((model) => model.toLowerCase() === wanted);
  return whole.length > 0 ? whole : models.filter((model) => model.slice(model.indexOf('/') + 1).toLowerCase() === wanted);
}

/** Whether the model that answers is the one that was asked for. Pure. */
export function isModel(asked: string, answers: { readonly provider: string; readonly model: string }): boolean {
  return modelsNamed(asked, [`${answers.provider}/${answers.model}`]).length > 0;
}

const NEAREST = 5;

/** A few models to suggest for a name that none has: those that contain a part of it, else the first ones. Pure. */
export function nearestModels(asked: string, models: readonly string[]): readonly string[] {
  const parts = asked.toLowerCase().split(/[^a-z0-9.]+/).filter((part) => part.length > 2);
  const score = (model: string): number => parts.filter((part) => model.toLowerCase().includes(part)).length;
  return [...models].sort((a, b) => score(b) - score(a)).slice(0, NEAREST);
}
