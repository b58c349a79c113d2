// Canonical JSON, against the examples of RFC 8785.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, isPlainJson } from '../../src/lib/canonical-json.ts';

test('names are sorted by UTF-16 code units (RFC 8785, 3.2.3)', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  const parsed: unknown = JSON.parse(canonicalJson(value));
  assert.deepEqual(
    // An object lists integer names first, so the text is compared.
    [...canonicalJson(value).matchAll(/:"(\w+)/g)].map(([, word]) => word),
    ['Carriage', 'One', 'Control', 'Latin', 'Euro', 'Emoji', 'Hebrew'],
  );
  assert.deepEqual(parsed, value);
});

test('text, lists and objects are written without space and with the escapes of the RFC (3.2.2)', () => {
  const value = { string: '\u20ac$\u000f\nA\'B"\\\\"/', literals: [null, true, false], n: [0, -1, 78_123_456] };
  assert.equal(
    canonicalJson(value),
    String.raw`{"literals":[null,true,false],"n":[0,-1,78123456],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('a value without a unique form is refused', () => {
  for (const value of [0.5, 2 ** 53, Number.NaN, undefined, { a: undefined }, 1n]) {
    assert.throws(() => canonicalJson(value), TypeError);
  }
});

test('a text with a repeated field is not canonical', () => {
  const plain = (text: string) => isPlainJson(text, JSON.parse(text));
  assert.ok(plain('{ "a": "x  y \\" z",\n "b": [1, {}] }'));
  for (const text of ['{"a":"1","a":"2"}', '{"a":1.0}', '{"a":"\\u0041"}', '{"a":{"b":1,"b":1}}']) {
    assert.ok(!plain(text), text);
  }
});
