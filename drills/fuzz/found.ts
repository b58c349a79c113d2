// Values from answers for later cases: ids, and other names that paths and bodies need.
import { nounOf } from './make-case.ts';

const KEPT = 200;
/** Fields of answers, beside ids, that later requests name. */
const NAMED = new Set(['agreement', 'sequence', 'line', 'hash', 'sender']);
const UNMATCHED = '/payments/unmatched';
const MAX_DEPTH = 4;

/** Keeps what an answer names, newest last: ids under the noun that they belong to, other fields under their own name. */
export function keepFound(known: Map<string, string[]>, operation: string, json: unknown): void {
  const [, template = ''] = operation.split(' ');
  // The answer of `/charges/{id}/refunds` is not the charge of the path.
  const isOwn = /^(\/(sandbox|crypto))?\/\w+(\/[^/]+)?$/.test(template);
  visit(json, isOwn ? nounOf(template) : undefined, 0);

  function keep(name: string, value: unknown): void {
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const values = known.get(name) ?? [];
    if (!values.includes(String(value))) known.set(name, [...values, String(value)].slice(-KEPT));
  }

  function visit(value: unknown, noun: string | undefined, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    for (const [name, item] of Object.entries(value)) {
      if (name === 'id' || name === 'transactionId') {
        if (noun !== undefined) keep(noun, item);
      } else if (name.endsWith('Id')) keep(nounOf(name), item);
      else if (NAMED.has(name) || (name === 'reference' && template === UNMATCHED)) keep(name, item);
      else if (Array.isArray(item)) for (const one of item) visit(one, name, depth + 1);
      else visit(item, undefined, depth + 1);
    }
  }
}
