// An agent in Pi that has given its report, as far as the extension sees of Pi. It goes on until it is ended.
import extension from 'relay-flow-plugin/pi';

const handlers = {};
extension({ on: (event, handler) => (handlers[event] = handler), setSessionName() {}, getSessionName: () => undefined, sendUserMessage() {} });
const message = { role: 'assistant', stopReason: 'stop', content: [{ type: 'text', text: process.env.REPORT }] };
const context = { hasUI: false, ui: {}, isIdle: () => true, sessionManager: { getSessionId: () => 'ses', getBranch: () => [{ type: 'message', id: 'm1', message }] } };
handlers.agent_settled({}, context);
setInterval(() => {}, 1_000);
