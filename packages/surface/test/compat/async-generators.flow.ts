/** Steps behind async generators: paging, mapping and leaving a loop early. */
import { flow, type Ctx } from '@relayflows/surface';

async function* pages(f: Ctx): AsyncGenerator<string[]> {
  for (let page = 1; ; page += 1) {
    const items = await f.run(`test ${page} -le 3 && seq $((${page} * 10)) $((${page} * 10 + 2)) || true`);
    if (items.trim() === '') return;
    yield items.trim().split('\n');
  }
}

async function* doubled(f: Ctx, source: AsyncIterable<string[]>): AsyncGenerator<number> {
  for await (const items of source) {
    for (const item of items) yield Number(await f.run(`echo $((${item} * 2))`));
  }
}

export default flow('async-generators', async (f) => {
  const numbers: number[] = [];
  for await (const number of doubled(f, pages(f))) {
    numbers.push(number);
    if (number >= 44) break;
  }
  f.done('success', { detail: numbers.join(',') });
});
