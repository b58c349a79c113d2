// .env.example and docs/configuration.md are generated from the table of settings.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { envExample, withSettingsTable } from '../../src/config/document.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test('.env.example is current; npm run docs -- settings writes it', () => {
  assert.equal(read('.env.example'), envExample());
});

test('the table of docs/configuration.md is current; npm run docs -- settings writes it', () => {
  const page = read('docs/configuration.md');
  assert.equal(page, withSettingsTable(page));
});

test('a page without its markers is refused, not overwritten', () => {
  assert.throws(() => withSettingsTable('# Configuration\n'), /has no table/);
});
