import { LineAssembler } from '../text/line-assembler.js';

/** The output of running steps as whole lines, each stream for itself. */
export class StepOutputs {
  readonly #assemblers = new Map<string, Map<string, LineAssembler>>();
  readonly #emit: (stepId: string, line: string) => void;

  constructor(emit: (stepId: string, line: string) => void) {
    this.#emit = emit;
  }

  push({ stepId, stream, text }: { readonly stepId: string; readonly stream: string; readonly text: string }): void {
    let streams = this.#assemblers.get(stepId);
    if (streams === undefined) this.#assemblers.set(stepId, (streams = new Map<string, LineAssembler>()));
    let assembler = streams.get(stream);
    if (assembler === undefined) streams.set(stream, (assembler = new LineAssembler()));
    for (const line of assembler.push(text)) this.#emit(stepId, line);
  }

  /** The step has ended, so a line without an end is one too. */
  end(stepId: string): void {
    for (const assembler of this.#assemblers.get(stepId)?.values() ?? []) for (const line of assembler.end()) this.#emit(stepId, line);
    this.#assemblers.delete(stepId);
  }
}
