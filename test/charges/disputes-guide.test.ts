// The requests of docs/disputes.md, as they are written there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { startService } from '../harness/service.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/disputes.md'), 'utf8');

/** Each `curl` of the page: its method, path, media type, and its body where it is written there. */
function requestsIn(text: string) {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  return blocks
    .filter(line => line.startsWith('curl '))
    .map(line => ({
      method: / -X (\w+)/.exec(line)?.[1] ?? (/ (-d|--data-binary) /.test(line) ? 'POST' : 'GET'),
      path: /\$at(\/[^\s"]*)/.exec(line)?.[1] ?? '',
      type: /-H 'Content-Type: ([^']*)'/.exec(line)?.[1] ?? 'application/json',
      body: / -d '([^']*)'/.exec(line)?.[1],
    }));
}

test('every request of the page does what the page says', async () => {
  const service = await startService({ now: '2026-11-19T12:00:00.000Z' });
  try {
    const [open, list, change, text, file, close, end, ...others] = requestsIn(page);
    assert.deepEqual(others, []);
    const { json: charge } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
    await service.runJobs();
    await service.post(`/sandbox/charges/${charge.id}/pay`, { method: 'pix' });
    let dispute = '';
    const send = async ({ method, path: written, type, body = '%PDF-1.7' }: NonNullable<typeof open>) => {
      const url = written.replace('$charge', charge.id).replace('$dispute', dispute);
      return service.send(url, { method, ...(method !== 'GET' && { body, headers: { 'content-type': type } }) });
    };
    assert.equal((await send(open!)).status, 200);
    const { disputes, total } = (await send(list!)).json;
    const [shown] = disputes;
    assert.deepEqual(
      [total, shown.cause, shown.bankCode, shown.amountCents, shown.blockedCents, shown.blockedUntil],
      [1, 'fraud', 'MED_FRAUDE', 5_000, 5_000, '2026-11-30T12:00:00.000Z'],
    );
    dispute = shown.id;
    assert.equal((await send(change!)).json.blockedUntil, '2026-12-04T21:00:00.000Z');
    assert.equal((await send(text!)).status, 201);
    assert.equal((await send(file!)).json.name, 'invoice.pdf');
    assert.equal((await send(close!)).json.status, 'won');
    assert.equal((await send(end!)).json.status, 'lost');
  } finally {
    await service.stop();
  }
});
