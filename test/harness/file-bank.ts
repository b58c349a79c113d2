// A bank that keeps its records in a file, so that they outlive the process that called it: a test reads there what it received
// and how often.
import { appendFileSync, readFileSync } from 'node:fs';
import type { Method } from '../../src/rails/methods/methods.ts';
import type { Rail } from '../../src/rails/rail.ts';
import type { Rails } from '../../src/rails/rails.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';

export function bankRecords(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

export function fileBank(file: string): Rails {
  return { pix: withMemory(sandboxRails.pix, file), boleto: withMemory(sandboxRails.boleto, file) };
}

function withMemory<M extends Method>(rail: Rail<M>, file: string): Rail<M> {
  const remember = <const Kind>(what: string, kind: Kind) => {
    appendFileSync(file, `${what}\n`);
    return { kind };
  };
  const find = <const Kind>(what: string, kind: Kind) => ({
    kind: bankRecords(file).includes(what) ? kind : ('absent' as const),
  });
  return {
    ...rail,
    submit: async ({ id }) => remember(`submit ${rail.method} ${id}`, 'registered'),
    lookup: async ({ id }) => find(`submit ${rail.method} ${id}`, 'registered'),
    cancel: async ({ id }) => remember(`cancel ${rail.method} ${id}`, 'withdrawn'),
    refund: async ({ id }) => remember(`refund ${id}`, 'done'),
    lookupRefund: async ({ id }) => find(`refund ${id}`, 'done'),
  };
}
