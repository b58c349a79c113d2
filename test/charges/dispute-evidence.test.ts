// Evidence of disputes: texts and small files that are kept, listed and downloaded.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
let id: string;
before(async () => {
  service = await startService();
  id = await disputed();
});
after(() => service.stop());

async function disputed(): Promise<string> {
  const { json } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
  await service.runJobs();
  await service.post(`/sandbox/charges/${json.id}/pay`, { method: 'pix' });
  const taken = await service.post(`/sandbox/charges/${json.id}/return`, { cause: 'fraud' });
  return taken.json.refunds[0].disputeId;
}

function add(content: string | Buffer, type = 'text/plain', of = id, query = ''): Promise<Answer> {
  const body = typeof content === 'string' ? content : new Uint8Array(content);
  return service.send(`/disputes/${of}/evidence${query}`, { method: 'POST', body, headers: { 'content-type': type } });
}

const download = (evidenceId: string, of = id) => fetch(`${service.url}/disputes/${of}/evidence/${evidenceId}/content`);

test('a text is kept, shown and downloaded; the same one again is the same evidence', async () => {
  const text = 'Entregue em 9 de dezembro; assinado pela cliente.';
  const { status, json } = await add(text);
  assert.equal(status, 201);
  assert.deepEqual([json.mediaType, json.size, json.text], ['text/plain', Buffer.byteLength(text), text]);
  const again = await add(text);
  assert.deepEqual([again.json.id, again.headers.get('idempotent-replayed')], [json.id, 'true']);
  const { evidence } = (await service.get(`/disputes/${id}`)).json;
  assert.deepEqual(
    evidence.map((one: { id: string; text: string }) => [one.id, one.text]),
    [[json.id, text]],
  );
  assert.equal(await (await download(json.id)).text(), text);
});

test('a file is downloaded as it was sent, never opened in the browser', async () => {
  const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from([0, 255, 10, 13])]);
  const { json } = await add(pdf, 'application/pdf', id, `?name=${encodeURIComponent('nota "fiscal" nº 1.pdf')}`);
  assert.deepEqual([json.name, json.text], ['nota "fiscal" nº 1.pdf', undefined]);
  const answer = await download(json.id);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), pdf);
  assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
  assert.equal(
    answer.headers.get('content-disposition'),
    `attachment; filename="nota _fiscal_ n_ 1.pdf"; filename*=UTF-8''nota%20%22fiscal%22%20n%C2%BA%201.pdf`,
  );
  const lines = await service.sql(`select from audit_inbox where action like 'GET /disputes/%' and object_id = $1`, [
    id,
  ]);
  const sealed = await service.sql(`select from audit_log where action like 'GET /disputes/%' and object_id = $1`, [
    id,
  ]);
  assert.ok(lines.length + sealed.length > 0, 'a download is on record');
});

test('content that is not of its type, too large or empty is refused', async () => {
  assert.equal((await add('not a picture', 'image/png')).json.errors[0].code, 'wrong_type');
  assert.equal((await add(Buffer.from([0xff, 0xfe]))).json.errors[0].code, 'wrong_type');
  assert.equal((await add('a\0b')).json.errors[0].code, 'wrong_type');
  assert.equal((await add('')).json.errors[0].code, 'empty');
  assert.equal((await add('<p>', 'text/html')).status, 415);
  assert.equal((await add(Buffer.alloc(1_048_577, 'a'))).status, 413);
  assert.equal((await add(Buffer.alloc(1_048_576, 'a'))).json.text, undefined, 'too long to be shown');
});

test('a dispute keeps twenty pieces, also when the last ones come at once', async () => {
  const full = await disputed();
  for (let index = 1; index <= 18; index++) await add(`piece ${index}`, 'text/plain', full);
  const last = await Promise.all([19, 20, 21, 22].map(index => add(`piece ${index}`, 'text/plain', full)));
  assert.deepEqual(last.map(({ status }) => status).sort(), [201, 201, 409, 409]);
  assert.equal((await service.get(`/disputes/${full}`)).json.evidence.length, 20);
});

test('evidence belongs to its dispute, and stays after its end', async () => {
  const [own, other] = [await disputed(), await disputed()];
  const { json } = await add('Ours.', 'text/plain', own);
  assert.equal((await download(json.id, other)).status, 404);
  await service.post(`/sandbox/disputes/${own}/end`, { outcome: 'kept' });
  assert.equal((await download(json.id, own)).status, 200);
  assert.equal((await add('Later.', 'text/plain', own)).status, 201);
});
