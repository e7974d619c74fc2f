import { describe, expect, it } from 'vitest';
import { isModel, listedModels, modelsNamed, nearestModels } from '../../../src/agents/clis/pi/models.js';

const TABLE = `Warning: errors loading models.json: none
provider    model                    context  max-out  thinking  images
anthropic   claude-sonnet-4-5        200K     64K      yes       yes
openai      gpt-4o                   128K     16.4K    no        yes
openrouter  anthropic/claude-opus-5  200K     64K      yes       yes
openrouter  gpt-4o                   128K     16.4K    no        yes
openrouter  qwen/qwen3:free          32K      8K       no        no
`;
const MODELS = ['anthropic/claude-sonnet-4-5', 'openai/gpt-4o', 'openrouter/anthropic/claude-opus-5', 'openrouter/gpt-4o', 'openrouter/qwen/qwen3:free'];

describe('the list of models', () => {
  it('is read by its columns', () => expect(listedModels(TABLE)).toEqual(MODELS));

  it.each(['', 'No models available. Use /login to log in.\n', 'model provider\n'])('is empty in %j', (text) => expect(listedModels(text)).toEqual([]));
});

describe('a name', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5', ['anthropic/claude-sonnet-4-5']],
    ['Claude-Sonnet-4-5', ['anthropic/claude-sonnet-4-5']],
    ['claude-sonnet-4-5:high', ['anthropic/claude-sonnet-4-5:high']],
    ['anthropic/claude-opus-5', ['openrouter/anthropic/claude-opus-5']],
    ['openrouter/qwen/qwen3:free', ['openrouter/qwen/qwen3:free']],
    ['gpt-4o', ['openai/gpt-4o', 'openrouter/gpt-4o']],
    // Patterns that pi would find a model for.
    ['sonnet', []],
    ['claude', []],
    ['anthropic/sonnet', []],
    ['claude-sonnet-4-5:highest', []],
    ['', []],
  ])('%j is borne by %j', (asked, models) => expect(modelsNamed(asked, MODELS)).toEqual(models));

  it('is that of the model that answers, or it is another model', () => {
    const answers = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
    expect(['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5:low', 'sonnet', 'openrouter/claude-sonnet-4-5'].map((asked) => isModel(asked, answers))).toEqual([true, true, false, false]);
  });

  it('that nobody bears suggests those that share a part with it', () => {
    expect(nearestModels('sonnet', MODELS)[0]).toBe('anthropic/claude-sonnet-4-5');
    expect(nearestModels('openrouter/opus', MODELS)[0]).toBe('openrouter/anthropic/claude-opus-5');
    expect(nearestModels('x', Array.from({ length: 9 }, (_, at) => `p/m${at}`))).toHaveLength(5);
  });
});
