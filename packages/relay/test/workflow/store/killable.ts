import { removeStored, recoverStored, replaceStored } from '../../../src/workflow/store/store.js';

// Changes the folder of argv and kills itself before the n-th step, as a crash would.
const [act, folder = '', name = '', yaml = '', before = '0'] = process.argv.slice(2);
let left = Number(before);
const options = {
  onStep: () => {
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    left -= 1;
  },
};
if (act === 'replace') replaceStored(folder, { name, yaml }, options);
else if (act === 'remove') removeStored(folder, name, options);
else recoverStored(folder, options);
