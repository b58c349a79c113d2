// The requests of docs/instalments.md, as they are written there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startService } from '../harness/service.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/instalments.md'), 'utf8');
const WRITTEN_ID = '01a1f3ed-3169-75de-ab3f-1fdcac638cd0';

/** Each `curl` of the page: its method, its path, and its body where it has one. */
function requestsIn(text: string) {
  const blocks = [...text.matchAll(/```sh\n(curl [\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks.map(block => ({
    method: block.includes('-X POST') || block.includes("-d '") ? 'POST' : 'GET',
    path: /\$at(\/[^\s"]*)/.exec(block)?.[1] ?? '',
    body: /-d '([\s\S]*?)'/.exec(block)?.[1],
  }));
}

test('every request of the page does what the page says', async () => {
  const service = await startService();
  try {
    const requests = requestsIn(page);
    assert.equal(requests.length, 4);
    const [create, list, cancel, refund] = requests;
    const made = await service.post(create!.path, JSON.parse(create!.body ?? ''));
    assert.equal(made.status, 201, made.text);
    const { id, charges, balance } = made.json;
    assert.deepEqual(
      [charges[0].amountCents, charges[0].dueAt, charges[0].description, balance.open],
      [33_334, '2031-01-01T02:59:59.000Z', 'English course 1/3', { count: 3, amountCents: 100_000 }],
    );
    assert.equal((await service.get(list!.path)).json.total, 1);
    await service.runJobs();
    await service.post(`/sandbox/charges/${charges[0].id}/pay`, { method: 'pix' });
    await service.runJobs();
    const post = (written: string) => service.post(written.replace(WRITTEN_ID, id), {});
    assert.equal((await post(cancel!.path)).json.state, 'CANCELED');
    assert.equal((await post(refund!.path)).json.charges[0].refunds[0].status, 'PENDING');
  } finally {
    await service.stop();
  }
});
