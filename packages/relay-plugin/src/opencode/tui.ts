import { hostParts, inBackground } from '../delivery/host-relay.js';
import { nodeEnvironment } from '../environment.js';
import { sendResumedPrompt, takeResumedPrompt } from './resumed-prompt.js';
import { tuiPlugin, type TuiApi } from './tui-plugin.js';

/** The plugin for OpenCode's terminal (V1 plugin API): the dialogs of nodes with a person. It does nothing for other nodes, nor outside of relay-flow's sessions. */
const plugin = {
  id: 'relay-flow',
  tui: async (api: TuiApi): Promise<void> => {
    const node = nodeEnvironment(process.env);
    if (node?.nodeType !== 'hitl') return;
    const parts = hostParts(node, 'opencode-tui');
    tuiPlugin(api, parts);
    const resumed = takeResumedPrompt(process.env);
    if (resumed === undefined) return;
    const { sessionId, text, speaker } = resumed;
    inBackground(parts.log, () => sendResumedPrompt(() => api.client.session.promptAsync({ sessionID: sessionId, ...speaker, parts: [{ type: 'text', text }] }), parts));
  },
};

export default plugin;
