import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Place } from './place.js';
import { change, clean, PROJECT } from './project.js';

/** The names of variables that a run of the checks saw. */
function seen(place: Place, where: 'branch' | 'base'): string[] {
  return readFileSync(join(place.folder, `env.${where}`), 'utf8').split('\n').map((line) => line.split('=', 1)[0] ?? '');
}

test('checks see the tokens that they are given by name and no others, and none of the git configuration of the host', async () => {
  const where = 'if git symbolic-ref -q HEAD >/dev/null; then where=branch; else where=base; fi\nenv > "$HOME/env.$where"\n';
  const place = new Place({ ...PROJECT, 'check.sh': `${where}${PROJECT['check.sh']}` });
  place.host = {
    REGISTRY_TOKEN: 'needed-by-the-checks', DEPLOY_TOKEN: 'nobodys-business', PLAIN: 'seen',
    GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.abbrev', GIT_CONFIG_VALUE_0: '20', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1',
  };
  const { completionReason } = await place.run('simple', { ...clean, implementer: change('state.txt', 'broken') }, undefined, { checkEnv: ['REGISTRY_TOKEN', 'not a name', 7] });
  expect(completionReason).toBe('step_failed');
  for (const on of ['branch', 'base'] as const) {
    const names = seen(place, on);
    expect(names).toEqual(expect.arrayContaining(['REGISTRY_TOKEN', 'PLAIN', 'HOME']));
    for (const name of ['DEPLOY_TOKEN', 'GIT_CONFIG_COUNT', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM']) expect(names).not.toContain(name);
  }
});
