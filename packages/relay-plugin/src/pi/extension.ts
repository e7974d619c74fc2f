import { hostParts } from '../delivery/host-relay.js';
import { nodeEnvironment } from '../environment.js';
import { relayExtension, type PiApi } from './relay-extension.js';

/** The extension for Pi. Outside of relay-flow's sessions it subscribes to nothing. */
export default function extension(pi: PiApi): void {
  const node = nodeEnvironment(process.env);
  if (node !== undefined) relayExtension(pi, hostParts(node, 'pi'));
}
