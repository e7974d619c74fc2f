import { isFlowsError, type FlowsError } from '../errors/flows-error.js';
import type { AgentConfig } from './resolve.js';
import type { AgentServices, ProbePlace } from './services.js';

/** What is known of one coding-agent CLI on this machine. */
export interface SurveyedAgent {
  /** As a flow names it. */
  readonly cli: string;
  /** Whether `flows.json` names it as the default. */
  readonly isDefault: boolean;
  /** Absolute path; absent when it is not installed. */
  readonly executable?: string;
  readonly version?: string;
  /** Who is signed in or how. */
  readonly account?: string;
  /** The models it offers, where it can list them. */
  readonly models?: readonly string[];
  /** What keeps it from being used; its hint is what helps. */
  readonly problem?: FlowsError;
}

export interface SurveyRequest {
  readonly agents: AgentServices;
  readonly config: AgentConfig | undefined;
  readonly run: ProbePlace;
  /** Which CLIs, by name or path. Default: every one that has an adapter, and the default of `flows.json`. */
  readonly clis?: readonly string[];
}

/** Asks every coding-agent CLI about itself, all at once. What a CLI lacks is part of the answer; nothing is spent. */
export async function surveyAgents(request: SurveyRequest): Promise<SurveyedAgent[]> {
  const { agents, config } = request;
  const clis = request.clis ?? [...(config?.cli === undefined ? [] : [config.cli]), ...agents.known];
  return await Promise.all([...new Set(clis)].map(async (cli) => await survey(cli, request)));
}

async function survey(cli: string, { agents, config, run }: SurveyRequest): Promise<SurveyedAgent> {
  const known = { cli, isDefault: config?.cli === cli };
  let executable: string | undefined;
  try {
    executable = agents.find(cli, run).executable;
    const { identity } = await agents.resolve({ cli, header: {}, config, run, anyModel: true });
    const { version, account, models } = identity;
    return {
      ...known, executable,
      ...(version === undefined ? {} : { version }),
      ...(account === undefined ? {} : { account }),
      ...(models === undefined ? {} : { models }),
    };
  } catch (error) {
    if (!isFlowsError(error) || error.code === 'canceled') throw error;
    const version = error.evidence['version'];
    return { ...known, ...(executable === undefined ? {} : { executable }), ...(typeof version === 'string' ? { version } : {}), problem: error };
  }
}
