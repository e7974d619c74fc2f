import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadSealed } from '../../src/flow/load.js';
import { sealFlow } from '../../src/flow/seal.js';
import { parseSealed, serializeSealed } from '../../src/flow/stored.js';
import { failure, flowFile, folder } from './folder.js';

const stored = async () => serializeSealed(await sealFlow(folder({ 'main.flow.ts': flowFile('main') })('main.flow.ts')));

describe('a stored flow', () => {
  it('reads back as it was', async () => {
    const source = await stored();
    expect(serializeSealed(parseSealed(source))).toEqual(source);
  });

  it('is refused when one character was altered', async () => {
    const { digest, content } = await stored();
    expect(await failure(() => parseSealed({ digest, content: content.replace('success', 'succesz') }))).toMatchObject({ code: 'source_mismatch', exitCode: 2, evidence: { expected: digest } });
  });

  it('is refused when its code was altered and its outer digest made to fit', async () => {
    const sealed = parseSealed(await stored());
    const forged = serializeSealed({ ...sealed, root: { ...sealed.root, code: sealed.root.code.replace('success', 'declined') } });
    expect((await failure(() => parseSealed(forged))).code).toBe('source_mismatch');
  });

  it.each(['not json', 'null', '{}', '{"kind":"sealed"}', '[]'])('is refused when it is %s', async (content) => {
    const digest = createHash('sha256').update(content).digest('hex');
    expect((await failure(() => parseSealed({ digest, content }))).code).toBe('source_mismatch');
  });

  it('is verified once more before it is executed', async () => {
    const sealed = parseSealed(await stored());
    const altered = { ...sealed, root: { ...sealed.root, code: `${sealed.root.code}\n// more` } };
    expect((await failure(loadSealed(altered))).code).toBe('source_mismatch');
  });
});
