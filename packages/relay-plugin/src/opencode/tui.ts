import { hostParts } from '../delivery/host-relay.js';
import { nodeEnvironment } from '../environment.js';
import { tuiPlugin, type TuiApi } from './tui-plugin.js';

/** The plugin for OpenCode's terminal (V1 plugin API): the dialogs of nodes with a person. It does nothing for other nodes, nor outside of relay-flow's sessions. */
const plugin = {
  id: 'relay-flow',
  tui: async (api: TuiApi): Promise<void> => {
    const node = nodeEnvironment(process.env);
    if (node?.nodeType === 'hitl') tuiPlugin(api, hostParts(node, 'opencode-tui'));
  },
};

export default plugin;
