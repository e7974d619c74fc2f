import { hostParts, inBackground } from '../delivery/host-relay.js';
import { nodeEnvironment } from '../environment.js';
import { sendResumedPrompt, takeResumedPrompt } from './resumed-prompt.js';
import { serverPlugin, type ServerClient, type ServerHooks } from './server-plugin.js';

/**
 * The plugin for OpenCode's server (V1 plugin API). OpenCode takes every other export of this file for a plugin of its own, so there is only this one.
 * Outside of relay-flow's sessions it has no hooks.
 */
const plugin = {
  id: 'relay-flow',
  server: async ({ client }: { readonly client: ServerClient }): Promise<ServerHooks> => {
    const node = nodeEnvironment(process.env);
    if (node === undefined) return {};
    const parts = hostParts(node, 'opencode');
    const resumed = takeResumedPrompt(process.env);
    // At a node with a person the terminal sends it, once it can ask.
    if (resumed !== undefined && node.nodeType === 'agent') {
      const { sessionId, text, speaker } = resumed;
      inBackground(parts.log, () => sendResumedPrompt(() => client.session.promptAsync({ path: { id: sessionId }, body: { ...speaker, parts: [{ type: 'text', text }] } }), parts));
    }
    return serverPlugin(client, parts);
  },
};

export default plugin;
