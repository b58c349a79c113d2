// The requests and examples of a page of docs, as they are written there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const DOCS = path.join(import.meta.dirname, '../../docs');

/** A page of docs, or one of its sections. */
export function guide(name: string, heading?: string): string {
  const text = readFileSync(path.join(DOCS, name), 'utf8');
  if (heading === undefined) return text;
  const section = text.split(/^(?=## )/m).find(part => part.startsWith(`## ${heading}\n`));
  assert.ok(section, `${name} has ${heading}`);
  return section;
}

export type WrittenRequest = {
  readonly method: string;
  /** With the ids that are written there. */
  readonly path: string;
  readonly body?: string;
};

const REQUEST = /^curl (?:'[^']*'|"[^"]*"|[^'"\n])*/gm;
const VARIABLE = /^(\w+)=(\$at\/\S+)$/gm;

/** Each `curl` of a page. Variables that begin with `$at` are replaced, others are left as they are. */
export function requestsIn(page: string): WrittenRequest[] {
  const text = blocksOf(page, 'sh').join('');
  const addresses = new Map([...text.matchAll(VARIABLE)].map(([, name = '', value = '']) => [name, value]));
  return [...text.matchAll(REQUEST)].map(([written]) => {
    const request = written.replace(/\$(\w+)/g, (variable, name) => addresses.get(name) ?? variable);
    const body = / -d '([^']*)'/.exec(request)?.[1];
    return {
      method: / -X (\w+)/.exec(request)?.[1] ?? (body === undefined ? 'GET' : 'POST'),
      path: /\$at(\/[^\s"]*)/.exec(request)?.[1] ?? '',
      ...(body !== undefined && { body }),
    };
  });
}

/** The JSON objects of a page, of which a block may have several. */
export function objectsIn(page: string): Record<string, unknown>[] {
  return blocksOf(page, 'json').flatMap(block => block.split(/\n(?=\{)/).map(text => JSON.parse(text)));
}

function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block);
}
