/** One error esbuild found. */
export interface BuildProblem {
  readonly message: string;
  /** Absent when esbuild names none. */
  readonly place?: {
    /** As esbuild names it: relative to the folder it ran in. */
    readonly file: string;
    /** From 1. */
    readonly line: number;
    /** From 0, in bytes of UTF-8: esbuild's counting. */
    readonly byteColumn: number;
  };
}

/** A report begins with this mark and extends to the next one. */
const REPORT = /^✘ \[ERROR\] /m;
const POSITION = /^ {4}([^]+?):(\d+):(\d+):$/m;

/** Reads the errors out of what esbuild prints with `--color=false`; empty when there are none. */
export function readBuildProblems(stderr: string): readonly BuildProblem[] {
  return stderr.split(REPORT).slice(1).map((report) => {
    const [message = '', ...rest] = report.split('\n\n');
    const [, file, line, byteColumn] = POSITION.exec(rest[0] ?? '') ?? [];
    if (file === undefined) return { message: message.trim() };
    return { message: message.trim(), place: { file, line: Number(line), byteColumn: Number(byteColumn) } };
  });
}
