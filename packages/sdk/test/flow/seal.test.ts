import { describe, expect, it } from 'vitest';
import { loadSealed } from '../../src/flow/load.js';
import { sealFlow } from '../../src/flow/seal.js';
import { flowFile, folder } from './folder.js';

describe('sealing a file', () => {
  it('loads', async () => {
    const at = folder({ 'hello.flow.ts': flowFile('hello') });
    const sealed = await sealFlow(at('hello.flow.ts'), { moduleDir: at('data/modules') });
    const loaded = await loadSealed(sealed, { moduleDir: at('data/modules') });
    expect(loaded.name).toBe('hello');
  });
});
