import type { JsonRecord } from '../json.js';
import type { ApiName, Refusal, Usage } from '../scenario/scenario.js';

/** One way of talking to a model: how its requests are read and its answers and refusals are written. All pure, but for the ids of answers. */
export interface Api {
  readonly name: ApiName;
  read(body: JsonRecord): Conversation;
  write(answer: Answer): WrittenAnswer;
  refuse(refusal: Refusal, now: number): WrittenRefusal;
}

/** What all APIs say in their own way. */
export interface Conversation {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
  /** The JSON schema that the answer shall have. */
  readonly schema?: JsonRecord;
}

export interface Message {
  /** `assistant` has an id where it calls a tool, `tool` where it brings the result of one. */
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly id?: string;
}

export interface OfferedTool {
  readonly name: string;
  /** It takes a text rather than an object. */
  readonly custom?: boolean;
  /** The properties of its input, by name. */
  readonly properties?: JsonRecord;
  readonly namespace?: string;
}

export interface ToolCall {
  /** Has the place of its turn in it: see `callId`. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly custom: boolean;
  readonly namespace?: string;
}

export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage;
  readonly model: string;
}

export interface WrittenAnswer {
  /** The body when no stream was asked for. */
  readonly whole: JsonRecord;
  readonly events: readonly StreamEvent[];
}

/** `data` is JSON, or a text that is sent as it is. */
export interface StreamEvent {
  readonly name?: string;
  readonly data: JsonRecord | string;
}

export interface WrittenRefusal {
  readonly body: JsonRecord;
  readonly headers?: Readonly<Record<string, string>>;
}
