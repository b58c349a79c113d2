// The made-up PSP behind the rail, with its charges and payments.
import assert from 'node:assert/strict';
import type { AcmeApi } from './kind.ts';

export type AcmePsp = AcmeApi & {
  /** Carries out the next calls and answers with a status, or with 0 not at all. */
  spoilAnswers(count: number, status: number): void;
  /** A payer pays what has this code. */
  pay(reference: string, at: Date): void;
  readonly calls: readonly string[];
};

export function startAcme(apiKey: string): AcmePsp {
  const charges = new Map<string, { cents: number; status: string; location: string }>();
  const payments: { id: string; reference: string; cents: number; at: string }[] = [];
  const calls: string[] = [];
  const spoilt: number[] = [];
  const answer = (method: string, path: string, body?: object): { status: number; json: unknown } => {
    const [, resource = '', reference = ''] = new URL(path, 'https://acme.example').pathname.split('/');
    if (resource === 'payments') {
      const { searchParams } = new URL(path, 'https://acme.example');
      const [from, to, wanted] = ['from', 'to', 'id'].map(name => searchParams.get(name) ?? '');
      const isListed = ({ id, at }: (typeof payments)[number]) => (wanted ? id === wanted : at >= from! && at < to!);
      return { status: 200, json: payments.filter(isListed) };
    }
    if (method === 'POST') {
      const asked = body as { reference: string; cents: number };
      assert.ok(!charges.has(asked.reference), 'a charge is sent once');
      charges.set(asked.reference, { ...asked, status: 'open', location: `acme.example/qr/${asked.reference}` });
      return { status: 201, json: charges.get(asked.reference) };
    }
    const charge = charges.get(reference);
    if (!charge) return { status: 404, json: {} };
    if (method === 'DELETE') charge.status = 'removed';
    return { status: 200, json: charge };
  };
  return {
    calls,
    spoilAnswers: (count, status) => {
      spoilt.push(...Array<number>(count).fill(status));
    },
    pay: (reference, at) => {
      const charge = charges.get(reference);
      assert.equal(charge?.status, 'open');
      const id = `E${String(payments.length + 1).padStart(31, '0')}`;
      payments.push({ id, reference, cents: charge.cents, at: at.toISOString() });
    },
    call: async (entry, method, path, body) => {
      assert.equal(entry.apiKey, apiKey);
      calls.push(`${method} ${path.split('?')[0]}`);
      const answered = answer(method, path, body);
      const status = spoilt.shift();
      return status === undefined ? answered : { status, json: {} };
    },
  };
}
