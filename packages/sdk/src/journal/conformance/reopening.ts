import type { Journal } from '../port.js';

/** A journal that is opened for each call and closed after it, so that nothing but what is stored can answer. */
export function reopening(open: () => Promise<Journal>): Journal {
  let last: Promise<unknown> = Promise.resolve();
  const call = <A, R>(method: (journal: Journal, args: A) => Promise<R>) => (args: A): Promise<R> => {
    // Taken when the call is made, as a journal must.
    const given = structuredClone(args);
    const answer = last.then(async () => {
      const journal = await open();
      try {
        return await method(journal, given);
      } finally {
        await journal.close();
      }
    });
    last = answer.catch(() => undefined);
    return answer;
  };
  return {
    createRun: call((journal, args: Parameters<Journal['createRun']>[0]) => journal.createRun(args)),
    claim: call((journal, args: Parameters<Journal['claim']>[0]) => journal.claim(args)),
    heartbeat: call((journal, args: Parameters<Journal['heartbeat']>[0]) => journal.heartbeat(args)),
    history: call((journal, args: Parameters<Journal['history']>[0]) => journal.history(args)),
    started: call((journal, args: Parameters<Journal['started']>[0]) => journal.started(args)),
    progressed: call((journal, args: Parameters<Journal['progressed']>[0]) => journal.progressed(args)),
    completed: call((journal, args: Parameters<Journal['completed']>[0]) => journal.completed(args)),
    signal: call((journal, args: Parameters<Journal['signal']>[0]) => journal.signal(args)),
    takeSignal: call((journal, args: Parameters<Journal['takeSignal']>[0]) => journal.takeSignal(args)),
    signals: call((journal, args: Parameters<Journal['signals']>[0]) => journal.signals(args)),
    park: call((journal, args: Parameters<Journal['park']>[0]) => journal.park(args)),
    continueAs: call((journal, args: Parameters<Journal['continueAs']>[0]) => journal.continueAs(args)),
    finish: call((journal, args: Parameters<Journal['finish']>[0]) => journal.finish(args)),
    remove: call((journal, args: Parameters<Journal['remove']>[0]) => journal.remove(args)),
    run: call((journal, args: Parameters<Journal['run']>[0]) => journal.run(args)),
    list: call((journal, args: Parameters<Journal['list']>[0]) => journal.list(args)),
    source: call((journal, args: Parameters<Journal['source']>[0]) => journal.source(args)),
    adoptSource: call((journal, args: Parameters<Journal['adoptSource']>[0]) => journal.adoptSource(args)),
    markHumanInfluenced: call((journal, args: Parameters<Journal['markHumanInfluenced']>[0]) => journal.markHumanInfluenced(args)),
    charged: call((journal, args: Parameters<Journal['charged']>[0]) => journal.charged(args)),
    onForeignChange: () => () => undefined,
    close: async () => {
      await last;
    },
  };
}
