// A webhook of acme whose deliveries wait.
import assert from 'node:assert/strict';
import type { Service } from '../harness/service.ts';

export async function disabledWebhook(service: Service): Promise<{ id: string }> {
  const { id } = (await service.post('/webhooks', { url: 'http://127.0.0.1:9/', accountId: 'acme' })).json;
  const disabled = await service.send(`/webhooks/${id}`, {
    method: 'PATCH',
    body: JSON.stringify({ enabled: false }),
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(disabled.status, 200, disabled.text);
  return { id };
}
