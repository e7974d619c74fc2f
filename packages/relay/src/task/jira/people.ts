import { isRelayError } from '../../errors/relay-error.js';
import type { JiraClient } from './client/client.js';
import { invalid } from './settings.js';
import { readMyself, readPeople, type JiraPerson } from './shapes.js';

const CURRENT_USER = 'currentuser()';

/** How long a person that was found is remembered. */
const KEPT_MS = 10 * 60_000;

/** Who we are, and which account is meant by a word in the settings: Jira takes nothing but an account id. */
export class People {
  readonly #client: JiraClient;
  /** The address of the credentials: what Jira may hide from us about ourselves. */
  readonly #address: string;
  readonly #found = new Map<string, { readonly accountId: Promise<string>; readonly until: number }>();
  /** By account: words by which the settings call it. */
  readonly #aliases = new Map<string, Set<string>>();
  #me: Promise<JiraPerson> | undefined;

  constructor(client: JiraClient, address: string) {
    this.#client = client;
    this.#address = address;
  }

  /** Asked once; a failure is asked again. */
  async me(): Promise<JiraPerson> {
    this.#me ??= this.ask({});
    try {
      return await this.#me;
    } catch (error) {
      this.#me = undefined;
      throw error;
    }
  }

  async ask(options: { readonly once?: boolean; readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<JiraPerson> {
    return await this.#client.send({ method: 'GET', path: 'myself', about: 'the account of the credentials', read: readMyself, ...options });
  }

  /** The account that is meant, if it can be assigned in the project. Throws `task_config_invalid`. */
  async accountOf(project: string, words: string): Promise<string> {
    const key = `${project} ${fold(words)}`;
    const known = this.#found.get(key);
    if (known !== undefined && known.until > this.#client.now()) return await known.accountId;
    const search = this.#search(project, words.trim());
    this.#found.set(key, { accountId: search, until: this.#client.now() + KEPT_MS });
    const accountId = await search.catch((error: unknown) => {
      this.#found.delete(key);
      throw error;
    });
    this.#aliases.set(accountId, (this.#aliases.get(accountId) ?? new Set()).add(words.trim()));
    return accountId;
  }

  /** Remembers whom a filter means: the address it names may be hidden in tickets. Somebody who cannot be found has no tickets. */
  async learn(project: string, words: string): Promise<void> {
    try {
      await this.accountOf(project, words);
    } catch (error) {
      if (!isRelayError(error) || error.code !== 'task_config_invalid') throw error;
    }
  }

  /** After Jira refused somebody: the next time they are looked up again. */
  forget(project: string, words: string): void {
    this.#found.delete(`${project} ${fold(words)}`);
  }

  /** Every word that names a person of an answer, also addresses that Jira hides and we know all the same: our own, and those by which settings found somebody. */
  async wordsFor(person: JiraPerson): Promise<readonly string[]> {
    const me = await this.me();
    const { accountId, emailAddress, displayName } = person;
    return [...new Set([emailAddress, ...(accountId === me.accountId ? [me.emailAddress, this.#address] : []), accountId, displayName, ...(this.#aliases.get(accountId) ?? [])].filter((word): word is string => word !== undefined && word !== ''))];
  }

  async #search(project: string, words: string): Promise<string> {
    const me = await this.me();
    const ours = [CURRENT_USER, me.accountId, me.emailAddress, this.#address].some((word) => word !== undefined && fold(word) === fold(words));
    const query = fold(words) === CURRENT_USER ? (me.emailAddress ?? this.#address) : words;
    const answer = await this.#client.send({
      method: 'GET', path: 'user/assignable/search', query: { project, query, maxResults: 50 }, about: `the people that can be assigned in project ${project}`, read: readPeople,
    });
    const people = answer.filter(({ active }) => active !== false);
    const exact = people.filter((person) => (ours && person.accountId === me.accountId) || [person.emailAddress, person.accountId, person.displayName].some((word) => word !== undefined && fold(word) === fold(words)));
    const [only, ...more] = exact.length > 0 ? exact : people;
    if (only === undefined) throw invalid(`Nobody called ${JSON.stringify(words)} can be assigned in project ${project}.`, 'Give the person access to the project, or write another address, account id or display name as `assignee`.');
    if (more.length > 0) throw invalid(`${JSON.stringify(words)} could be ${people.length} people in project ${project}.`, `Write the account id of one of them: ${[only, ...more].slice(0, 5).map(({ accountId, displayName }) => `${accountId} (${displayName ?? 'no name'})`).join(', ')}.`);
    return only.accountId;
  }
}

function fold(words: string): string {
  return words.trim().toLowerCase();
}
