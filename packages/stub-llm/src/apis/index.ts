import type { ApiName } from '../scenario/scenario.js';
import { anthropicApi } from './anthropic.js';
import type { Api } from './api.js';
import { chatApi } from './chat.js';
import { geminiApi } from './gemini.js';
import { responsesApi } from './responses.js';

export const apis: Readonly<Record<ApiName, Api>> = { anthropic: anthropicApi, responses: responsesApi, chat: chatApi, gemini: geminiApi };
