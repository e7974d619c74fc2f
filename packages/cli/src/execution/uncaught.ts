/** Who answers for an error that nobody caught: the run that is being executed, or nobody. */
let claimant: ((error: Error) => void) | undefined;

/** Makes a run answer for what code throws from timers and emitters. Calling the answer ends that. */
export function claimUncaught(receive: (error: Error) => void): () => void {
  claimant = receive;
  return () => {
    claimant = undefined;
  };
}

/** Hands an uncaught error to its claimant. False when there is none: the error is a bug of the command. */
export function handOver(error: Error): boolean {
  if (claimant === undefined) return false;
  claimant(error);
  return true;
}
