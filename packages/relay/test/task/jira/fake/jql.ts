import { CATEGORIES, type FakeIssue, type FakeSite } from './site.js';

/** A query as a filter, or why it is refused. Knows the clauses that are used and refuses all others. */
export function queryOf(jql: string, site: FakeSite): ((issue: FakeIssue) => boolean) | { readonly refused: string } {
  const tests: ((issue: FakeIssue) => boolean)[] = [];
  let project: string | undefined;
  for (let rest = jql; ; ) {
    const [clause = '', field = '', operator = '', value = ''] = /^(project|component|issuetype|statusCategory) (=|!=|not in) ("(?:[^"\\]|\\["\\])*"|\w+|\((?:"(?:[^"\\]|\\["\\])*"(?:, )?)+\))/.exec(rest) ?? [];
    if (clause === '') return { refused: `Error in the JQL Query: ${JSON.stringify(rest)}` };
    const names = value.startsWith('(') ? [...value.matchAll(/"((?:[^"\\]|\\["\\])*)"/g)].map(([, name = '']) => unquoted(name)) : [value.startsWith('"') ? unquoted(value.slice(1, -1)) : value];
    const [name = ''] = names;
    if (field === 'project' && operator === '=') {
      if (!site.projects.has(name)) return { refused: `The value '${name}' does not exist for the field 'project'.` };
      project = name;
      tests.push((issue) => issue.project === name);
    } else if (field === 'component' && operator === '=') {
      if (![...site.projects].some(([key, { components }]) => (project === undefined || key === project) && components.includes(name))) return { refused: `The value '${name}' does not exist for the field 'component'.` };
      tests.push((issue) => issue.component === name);
    } else if (field === 'issuetype' && operator !== '=') {
      const odd = names.find((one) => ![...site.projects.values()].some(({ types }) => types.some((type) => type.name === one)));
      if (odd !== undefined) return { refused: `The value '${odd}' does not exist for the field 'issuetype'.` };
      tests.push((issue) => !names.includes(issue.type.name));
    } else if (field === 'statusCategory' && operator === '!=' && name === 'Done') {
      tests.push((issue) => CATEGORIES[issue.status] !== 'done');
    } else return { refused: `Error in the JQL Query: ${clause}` };
    rest = rest.slice(clause.length);
    if (rest === '') break;
    if (!rest.startsWith(' AND ')) return { refused: `Error in the JQL Query: ${JSON.stringify(rest)}` };
    rest = rest.slice(5);
  }
  if (project === undefined) return { refused: 'Unbounded JQL queries are not allowed here. Please add a search restriction to your query.' };
  return (issue) => tests.every((test) => test(issue));
}

function unquoted(word: string): string {
  return word.replace(/\\(["\\])/g, '$1');
}
