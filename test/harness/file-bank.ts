// A bank whose memory is a file, so that it outlives the process that asked it: it knows what it was sent, and can be asked
// afterwards how often.
import { appendFileSync, readFileSync } from 'node:fs';
import type { Method, Outcome, Rail, Rails } from '../../src/rails/rail.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';

export function bankRecords(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

export function fileBank(file: string): Rails {
  return { pix: withMemory(sandboxRails.pix, file), boleto: withMemory(sandboxRails.boleto, file) };
}

function withMemory<M extends Method>(rail: Rail<M>, file: string): Rail<M> {
  const remember = (what: string): Outcome => {
    appendFileSync(file, `${what}\n`);
    return { kind: 'registered' };
  };
  const find = (what: string) => ({ kind: bankRecords(file).includes(what) ? 'registered' : 'absent' }) as const;
  return {
    ...rail,
    submit: async ({ id }) => remember(`submit ${rail.method} ${id}`),
    lookup: async ({ id }) => find(`submit ${rail.method} ${id}`),
    cancel: async ({ id }) => remember(`cancel ${rail.method} ${id}`),
    refund: async ({ id }) => remember(`refund ${id}`),
    lookupRefund: async ({ id }) => find(`refund ${id}`),
  };
}
