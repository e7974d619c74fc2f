import { expect, it } from 'vitest';
import { readJson } from '../../src/flow/json-text.js';

it.each([
  ['', 1, 1, 'Expected a value but found the end'],
  ['   ', 1, 4, 'Expected a value but found the end'],
  ['{', 1, 2, 'Expected a key in double quotes but found the end'],
  ['{"a"', 1, 5, 'Expected ":" but found the end'],
  ['{"a":', 1, 6, 'Expected a value but found the end'],
  ['{"a":1', 1, 7, 'Expected "," or "}" but found the end'],
  ['{"a":1,}', 1, 8, 'Expected a key in double quotes but found "}"'],
  ["{'a':1}", 1, 2, 'Expected a key in double quotes but found "\'"'],
  ['[1,]', 1, 4, 'Expected a value but found "]"'],
  ['[1 2]', 1, 4, 'Expected "," or "]" but found "2"'],
  ['[1}', 1, 3, 'Expected "," or "]" but found "}"'],
  ['{} x', 1, 4, 'Expected the end of the text but found "x"'],
  ['{"a":{"b":[{}, {"c":1]}}', 1, 22, 'Expected "," or "}" but found "]"'],
  ['// comment\n1', 1, 1, 'Expected a value but found "/"'],
  ['{\n\t"a": 1,\r\n  "b": 01\n}', 3, 9, 'Expected "," or "}" but found "1"'],
  ['["a\nb"]', 1, 4, 'A control character or line break inside a string must be escaped'],
  ['["a\\x"]', 1, 4, 'This escape does not exist in JSON'],
  ['["abc', 1, 2, 'The string that begins here has no closing quote'],
  ['tru', 1, 1, 'Expected a value but found "t"'],
  ['NaN', 1, 1, 'Expected a value but found "N"'],
  ['-', 1, 1, 'Expected a value but found "-"'],
  ['[1.]', 1, 3, 'Expected "," or "]" but found "."'],
  ['\uFEFF[😀]', 1, 2, 'Expected a value but found "😀"'],
])('%j fails at %i:%i: %s', (text, line, column, reason) => {
  expect(readJson(text)).toEqual({ ok: false, line, column, reason });
});

it.each(['{}', '[]', '{"a":[1,-2.5e+3,"\\u00e9",true,false,null,{"b":{}}]}', ' 0 ', '\uFEFF"x"'])('%j is read', (text) => {
  expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text.replace('\uFEFF', '')) as unknown });
});

it('finds the place in a text that is nested deeper than any stack', () => {
  const depth = 200_000;
  expect(readJson('['.repeat(depth))).toMatchObject({ ok: false, column: depth + 1 });
});

it('finds a place wherever JSON.parse finds a fault', () => {
  const valid = '{"key":[1,-2.5e3,"te\\"xt",true,null,{"b":[]}],"z":"\\u0041"}';
  for (let at = 0; at < valid.length; at += 1) {
    for (const mutant of [valid.slice(0, at) + valid.slice(at + 1), `${valid.slice(0, at)}}${valid.slice(at)}`, valid.slice(0, at)]) {
      const reading = readJson(mutant);
      if (reading.ok) continue;
      expect(`${mutant}: ${reading.reason}`).toMatch(/: (?:Expected |The string that|A control|This escape)/);
    }
  }
});
