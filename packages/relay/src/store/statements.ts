import type { HostDatabase, HostStatement } from '@relayflows/sdk/journal';

/** A database whose statements are prepared once. */
export class Statements {
  readonly #database: HostDatabase;
  readonly #statements = new Map<string, HostStatement>();

  constructor(database: HostDatabase) {
    this.#database = database;
  }

  close(): void {
    this.#database.close();
  }

  /** Several changes that are seen together. */
  together<T>(change: () => T): T {
    return this.#database.transaction(change);
  }

  protected sql(text: string): HostStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}
