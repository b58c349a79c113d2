// On a machine in the time zone of São Paulo, which once had offsets of odd seconds.
process.env['TZ'] = 'America/Sao_Paulo';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { startService } from '../harness/service.ts';

test('moments of any year come back as they were sent', async () => {
  const service = await startService();
  try {
    for (const dueAt of [
      '0001-01-01T00:00:00.000Z',
      '1900-06-01T12:00:00.000Z',
      '1913-12-31T23:59:59.999Z',
      '2026-12-10T12:00:00.000Z',
    ]) {
      const made = await service.post('/charges', chargeBody({ methods: ['pix'], dueAt }));
      assert.equal(made.status, 201, made.text);
      assert.equal((await service.get(`/charges/${made.json.id}`)).json.dueAt, dueAt);
    }
  } finally {
    await service.stop();
  }
});
