import { RelayError } from '../../errors/relay-error.js';
import type { TaskSystem } from '../port.js';

export function createBeadsTaskSystem(_options: { readonly env: Readonly<Record<string, string | undefined>> }): TaskSystem {
  throw new RelayError('config_invalid', 'Beads cannot be used yet.');
}
