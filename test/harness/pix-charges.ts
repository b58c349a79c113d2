// Charges by a static pix key: created, read, and paid when a person reports it.
import assert from 'node:assert/strict';
import { chargeBody } from './bodies.ts';
import type { Answer, Service } from './service.ts';

/** `of` returns the service, which starts after this is called. */
export function pixCharges(of: () => Service) {
  return {
    make: async (changes: Record<string, unknown> = {}) => {
      const made = await of().post('/charges', chargeBody({ methods: ['pix'], ...changes }));
      assert.equal(made.status, 201, made.text);
      await of().runJobs();
      return made.json as { id: string; pix: { txid: string; emv: string } };
    },
    read: async (id: string): Promise<Answer['json']> => (await of().get(`/charges/${id}`)).json,
    report: (id: string, body: Record<string, unknown>): Promise<Answer> => of().post(`/charges/${id}/payments`, body),
  };
}
