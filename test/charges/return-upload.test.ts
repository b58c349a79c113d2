// Return files of a bank over the API and on the dashboard.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { textOf } from '../harness/dashboard.ts';
import { type FileExchangeBench, startFileExchange } from '../harness/file-exchange.ts';
import { logIn, SAME_ORIGIN } from '../harness/people.ts';
import { bytesOf, returnLines } from '../packages/cnab/return-lines.ts';

const TYPE = { 'content-type': 'application/octet-stream' };

let bench: FileExchangeBench;
before(async () => {
  bench = await startFileExchange('756', { name: 'sicoob:main' });
});
after(() => bench.stop());

/** A file that reports the boleto as paid. */
async function paidFile(sequence: number) {
  const [boleto] = await bench.send({});
  const paid = {
    occurrence: '06',
    number: boleto!.number,
    amountCents: 15_990n,
    paidCents: 15_990n,
    day: '17112026',
    creditDay: '18112026',
  };
  return { boleto: boleto!, bytes: bytesOf(returnLines('756', [paid], { sequence })) };
}

const upload = (body: NonNullable<RequestInit['body']>, query = '', headers: Record<string, string> = TYPE) =>
  bench.service.send(`/boletos/returns${query}`, { method: 'POST', body, headers });

test('a file pays its boletos, and counts once', async () => {
  const { boleto, bytes } = await paidFile(101);
  const first = await upload(Uint8Array.from(bytes));
  assert.equal(first.status, 201, first.text);
  const { agreement, sequence, isKnown, entries, counts } = first.json;
  assert.deepEqual([agreement, sequence, isKnown, entries, counts], ['sicoob:main', 101, false, 1, { paid: 1 }]);
  const charge = await bench.charge(boleto);
  assert.deepEqual([charge.state, charge.payments.length], ['PAID', 1]);
  const [reported] = await bench.service.sql<{ by: string }>(
    'select reported_by as by from payments where charge_id = $1',
    [charge.id],
  );
  assert.match(reported?.by ?? '', /^key:/, 'the person who uploaded it may not approve what it pays for');
  const again = await upload(Uint8Array.from(bytes), '?agreement=sicoob:main');
  assert.deepEqual([again.status, again.json.isKnown], [201, true]);
  assert.equal((await bench.charge(boleto)).payments.length, 1);
});

test('a file that is not a return, of no agreement, empty or of another type is refused, and nothing is written', async () => {
  const count = async () => (await bench.service.sql('select from boleto_returns')).length;
  const before = await count();
  for (const [body, query, message] of [
    ['Dear customer', '', /not CNAB 240/],
    [bytesOf(returnLines('756', [])).toString('latin1'), '?agreement=itau', /no agreement itau/],
    ['', '', /not empty/],
  ] as const) {
    const { status, json } = await upload(body, query);
    assert.equal(status, 400);
    assert.match(json.detail, message);
  }
  assert.equal((await upload('{}', '', { 'content-type': 'application/json' })).status, 415);
  assert.equal(await count(), before);
});

test('a file of more than 10 MB is taken by the API and the page as by the command line; above 128 MB one sentence refuses it', async () => {
  const large = Buffer.alloc(11 * 1024 * 1024, 'x');
  const { status, json } = await upload(Uint8Array.from(large));
  assert.deepEqual([status, /not CNAB 240/.test(json.detail)], [400, true], json.detail);
  const { cookie } = await logIn(bench.service, 'operator');
  const form = new FormData();
  form.set('once', '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d86');
  form.set('file', new File([Uint8Array.from(large)], 'large.ret'));
  const headers = { ...SAME_ORIGIN, cookie, accept: 'text/html' };
  const address = `${bench.service.url}/dashboard/statements/upload`;
  const answer = await fetch(address, { method: 'POST', body: form, headers });
  assert.equal(answer.status, 400);
  assert.match(textOf(await answer.text()), /not CNAB 240/);
  const { text } = await bench.service.makeKey('acme', ['statements:write']);
  const refused = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const sending = request(`${bench.service.url}/boletos/returns`, {
      method: 'POST',
      headers: { ...TYPE, authorization: `Bearer ${text}`, 'content-length': 128 * 1024 * 1024 + 1 },
    });
    sending.once('error', reject);
    sending.once('response', response => {
      let body = '';
      response.on('data', (part: Buffer) => {
        body += part.toString();
      });
      response.once('end', () => {
        resolve({ status: response.statusCode, body });
        sending.destroy();
      });
    });
    sending.flushHeaders();
  });
  assert.equal(refused.status, 413, refused.body);
});

test('return files are listed, newest first, with how their entries ended', async () => {
  const { json } = await bench.service.get('/boletos/returns');
  const [{ id, digest, receivedAt, receivedBy, ...file }] = json.returns;
  assert.match(digest, /^[\da-f]{64}$/);
  assert.match(receivedBy, /^key:/);
  assert.equal(receivedAt, bench.service.clock.now().toISOString());
  assert.deepEqual(file, {
    agreement: 'sicoob:main',
    sequence: 101,
    madeOn: file.madeOn,
    isFinished: true,
    entries: 1,
    counts: { paid: 1 },
    unseen: 0,
    warnings: file.warnings,
  });
  const { bytes } = await paidFile(103);
  await upload(Uint8Array.from(bytes));
  const newest = (await bench.service.get('/boletos/returns?agreement=sicoob:main&pageSize=1')).json;
  assert.deepEqual([newest.total, newest.returns.length, newest.returns[0].sequence], [2, 1, 103]);
  const next = (await bench.service.get('/boletos/returns?pageSize=1&page=2')).json;
  assert.deepEqual([next.returns[0].id, next.hasMore], [id, false]);
  const others = (await bench.service.get('/boletos/returns?agreement=itau')).json;
  assert.deepEqual([others.total, others.returns], [0, []]);
  assert.deepEqual((await bench.service.get('/boletos/returns?page=9')).json.returns, [], 'past the end');
  // An interrupted reading is shown differently from a finished one.
  await bench.service.sql('update boleto_returns set finished_at = null where id = $1', [id]);
  const cut = (await bench.service.get('/boletos/returns')).json.returns.find((one: { id: string }) => one.id === id);
  assert.equal(cut.isFinished, false);
  await bench.service.sql('update boleto_returns set finished_at = received_at where id = $1', [id]);
});

test('a person uploads it on the page of statements', async () => {
  const { boleto, bytes } = await paidFile(102);
  const { cookie } = await logIn(bench.service, 'operator');
  const send = async (once: string) => {
    const form = new FormData();
    form.set('once', once);
    form.set('file', new File([Uint8Array.from(bytes)], 'CB171101.RET'));
    const answer = await fetch(`${bench.service.url}/dashboard/statements/upload`, {
      method: 'POST',
      body: form,
      headers: { ...SAME_ORIGIN, cookie, accept: 'text/html' },
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  };
  const page = await send('019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87');
  assert.match(page.replace(/<[^>]*>/g, ' '), /The file was imported[\s\S]* paid +1 /);
  assert.equal((await bench.charge(boleto)).state, 'PAID');
  assert.match(textOf(await send('019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d88')), /The file was imported before/);
  // In one list with the statements.
  const csv = {
    method: 'POST',
    body: 'Data;Valor;Descrição\n17/11/2026;42,00;PIX\n',
    headers: { 'content-type': 'text/csv' },
  };
  assert.equal((await bench.service.send('/statements?debitsHaveMinus=true', csv)).status, 201);
  const list = await fetch(`${bench.service.url}/dashboard/statements`, { headers: { cookie, accept: 'text/html' } });
  const text = textOf(await list.text());
  assert.match(text, /person:\S+ CNAB 102 of sicoob:main 1 0 0 \d/);
  assert.match(text, /key:\S+ CNAB 101 of sicoob:main 1 0 0 \d/);
  assert.match(text, /key:\S+ CSV 0 1 0 0 /);
  assert.match(text, /4 in all/);
});
