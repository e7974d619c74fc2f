import type { RedactionStream } from '../ports/redactor.js';
import type { ProcessIdentity } from './identity.js';

/** Which step attempt a process belongs to. It travels in the environment of every process a step starts. */
export interface StepMarker {
  readonly runId: string;
  readonly stepId: string;
  /** From 1. */
  readonly attempt: number;
}

/** Why a process tree was stopped. The first reason wins. */
export type StopReason = 'timeout' | 'canceled' | 'output_limit' | 'outcome_known' | 'host_exit';

export interface ProcessRequest {
  /** The program; found on the PATH of `env` when it has no slash. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child; `superviseProcess` adds only the marker variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly marker: StepMarker;
  /** Written to standard input, which is then closed. Absent: standard input is closed (`/dev/null`). `{ open: true }`: the caller writes and closes. */
  readonly input?: string | Uint8Array | { readonly open: true };
  /** Milliseconds until the tree is stopped with reason `timeout`. */
  readonly timeoutMs?: number;
  /** Milliseconds between TERM and KILL. Default 5,000. */
  readonly graceMs?: number;
  /** Aborting stops the tree with reason `canceled`. */
  readonly signal?: AbortSignal;
  /** Milliseconds that output may still come after the leader exited. Default 250. */
  readonly drainMs?: number;
  /** `group` probes and sweeps the process group after a normal exit; `environment` scans for the marker too. After an abnormal end both are done always. */
  readonly sweep: 'group' | 'environment';
  readonly stdout?: StreamRequest;
  readonly stderr?: StreamRequest;
  /** Called once, synchronously after the process exists. Like every callback of a request, it must not throw. */
  readonly onSpawn?: (process: ProcessIdentity) => void;
}

export interface StreamRequest {
  /** Redacts on the way in. */
  readonly redaction?: RedactionStream;
  /** How many bytes of UTF-8 are kept in memory, from the end. Default 1 MiB. */
  readonly retainBytes?: number;
  /** Where the full text goes; created on the first byte, its folder too. */
  readonly logPath?: string;
  /** The log is cut at so many bytes and marked as cut. Default 64 MiB. */
  readonly logBytes?: number;
  /** Each piece as it arrives, redacted, whole characters. */
  readonly onText?: (text: string) => void;
  /** Each line before redaction, without its end, the last one also when nothing ends it: for callers that parse a protocol. Lines over 32 Mi characters are cut. */
  readonly onRawLine?: (line: string) => void;
}

export interface CapturedStream {
  /** Redacted; the last `retainBytes` bytes, cut at a character. */
  readonly text: string;
  /** Bytes dropped from the front of `text`. */
  readonly dropped: number;
  /** Present when a log file exists. */
  readonly logPath?: string;
  /** The log could not be written to its end (disk full, cut at its limit). */
  readonly logCut?: 'limit' | 'write_failed';
}

/** A success and a failure have the same shape: a member per cause. */
export interface ProcessOutcome {
  /** Present when the leader ended by itself or on a signal it handled. */
  readonly exitCode?: number;
  /** The signal that ended the leader. */
  readonly signal?: string;
  /** The process could not be started: the system's code (`ENOENT`, `EACCES`, `E2BIG`, …), and why, as the rest of a sentence without its full stop. */
  readonly spawnError?: {
    readonly code: string;
    readonly message: string;
    readonly transient: boolean;
    /** What does not exist or cannot be used, when that is the reason. */
    readonly missing?: 'program' | 'directory' | 'interpreter';
  };
  /** Set when we stopped it. */
  readonly stopped?: StopReason;
  /** Writing `input` failed before the child had read all of it; a child that closed its input early is not an error. */
  readonly inputError?: string;
  readonly durationMs: number;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** Processes the attempt left running, which were then stopped. Empty when the tree was stopped anyway. Command lines are not redacted. */
  readonly leftRunning: readonly { readonly pid: number; readonly command: string }[];
  /** Processes that are alive even after KILL (uninterruptible sleep). */
  readonly survivors: readonly number[];
}

export interface SupervisedProcess {
  /** Undefined when the process could not be started. */
  readonly identity: ProcessIdentity | undefined;
  /** Resolves once the leader has ended, its output is read or given up, and its tree is swept. Never rejects. */
  readonly outcome: Promise<ProcessOutcome>;
  /** Begins the termination ladder. The first reason wins. */
  stop(reason: StopReason): void;
  /** Only with `input: { open: true }`. What a process that is gone would have read is dropped. */
  write(text: string): void;
  closeInput(): void;
}

/** How `f.run` and gates execute a command. */
export interface Shell {
  /** Starts `command` with the POSIX shell in a process group of its own. */
  run(request: Omit<ProcessRequest, 'file' | 'args'> & { readonly command: string }): SupervisedProcess;
}
