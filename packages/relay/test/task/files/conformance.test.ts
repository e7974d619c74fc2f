import { describe, expect, test } from 'vitest';
import { taskSystemConformance } from '../../../src/task/conformance.js';
import { lacks, setUp } from './set-up.js';

describe('ticket files', () => {
  const leftOut: string[] = [];
  taskSystemConformance({ name: 'files', test, setUp, lacks, leftOut: (name) => leftOut.push(name) });

  test('only what files do not have is left out', () => {
    expect(leftOut).toEqual([
      'a status that the system does not have is refused when settings are checked',
      'a state that cannot be reached names where a person must move the ticket, and nothing changes',
    ]);
  });
});
