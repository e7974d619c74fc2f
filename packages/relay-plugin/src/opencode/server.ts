import { hostParts } from '../delivery/host-relay.js';
import { nodeEnvironment } from '../environment.js';
import { serverPlugin, type ServerClient, type ServerHooks } from './server-plugin.js';

/**
 * The plugin for OpenCode's server (V1 plugin API). OpenCode takes every other export of this file for a plugin of its own, so there is only this one.
 * Outside of relay-flow's sessions it has no hooks.
 */
const plugin = {
  id: 'relay-flow',
  server: async ({ client }: { readonly client: ServerClient }): Promise<ServerHooks> => {
    const node = nodeEnvironment(process.env);
    return node === undefined ? {} : serverPlugin(client, hostParts(node, 'opencode'));
  },
};

export default plugin;
