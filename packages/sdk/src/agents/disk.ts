import { rm } from 'node:fs/promises';
import { changedSince } from './directory/artifacts.js';
import { dropBaseline } from './directory/baseline.js';
import { findExecutable } from './executable.js';
import { makeLlmFolder } from './llm-folder.js';
import { leftByLostAttempt } from './permissions/lost-attempt.js';
import { writeRule } from './permissions/rule.js';
import { prepareDirectory } from './prepare.js';
import { directoryOfSession, noteSession } from './session-places.js';
import { sweepLeftovers } from './step-place.js';
import { Transcript, transcriptTail, type TranscriptFile, type TranscriptOptions } from './transcript.js';

/**
 * What agent steps and model calls do with the disk themselves, in one place, so that `simulate()` can take it away from them. What each member promises
 * stands with its implementation.
 */
export interface AgentDisk {
  readonly findExecutable: typeof findExecutable;
  readonly openTranscript: (options: TranscriptOptions) => TranscriptFile;
  readonly transcriptTail: typeof transcriptTail;
  readonly noteSession: typeof noteSession;
  readonly directoryOfSession: typeof directoryOfSession;
  readonly sweepLeftovers: typeof sweepLeftovers;
  readonly prepareDirectory: typeof prepareDirectory;
  readonly changedSince: typeof changedSince;
  readonly dropBaseline: typeof dropBaseline;
  readonly writeRule: typeof writeRule;
  readonly leftByLostAttempt: typeof leftByLostAttempt;
  readonly makeLlmFolder: typeof makeLlmFolder;
  readonly dropLlmFolder: (folder: string) => Promise<void>;
}

export const realDisk: AgentDisk = {
  findExecutable,
  openTranscript: (options) => new Transcript(options),
  transcriptTail,
  noteSession,
  directoryOfSession,
  sweepLeftovers,
  prepareDirectory,
  changedSince,
  dropBaseline,
  writeRule,
  leftByLostAttempt,
  makeLlmFolder,
  dropLlmFolder: (folder) => rm(folder, { recursive: true, force: true }),
};
