import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from './step.js';

/** Called at every point where a publish may be interrupted, with the name of the point. */
export type Reached = (point: string) => void;

/** Does what was planned, in order. What is renamed is on disk before, and the folder after each step, so that a power loss leaves a prefix of the plan. */
export async function applySteps(folder: string, steps: readonly Step[], reached: Reached = () => undefined): Promise<void> {
  for (const step of steps) {
    reached(`before ${step.do} ${step.do === 'rename' ? step.to : step.name}`);
    switch (step.do) {
      case 'write':
        await writeDurably(join(folder, step.name), step.text, () => reached(`inside write ${step.name}`));
        break;
      case 'rename':
        await rename(join(folder, step.from), join(folder, step.to));
        break;
      case 'remove':
        await rm(join(folder, step.name));
        break;
    }
    await syncFolder(folder);
  }
  reached('at the end');
}

async function writeDurably(path: string, text: string, halfway: () => void): Promise<void> {
  const bytes = Buffer.from(text);
  const middle = bytes.length >> 1;
  const file = await open(path, 'w', 0o644);
  try {
    await file.writeFile(bytes.subarray(0, middle));
    halfway();
    await file.writeFile(bytes.subarray(middle));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
