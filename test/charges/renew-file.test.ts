// A file that the bank never received: a warning names it, and its unanswered instructions go into a new one, with the same title
// numbers. If the bank has received both, no charge fails and nothing is booked twice.
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { cnabCommand } from '../../src/cli/cnab.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { agreementEntry } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { textOf } from '../harness/dashboard.ts';
import { type FileExchangeBench, type SentBoleto, startFileExchange } from '../harness/file-exchange.ts';
import { logIn, SAME_ORIGIN } from '../harness/people.ts';
import { bytesOf, returnLines } from '../packages/cnab/return-lines.ts';

const RAIL = 'sicoob:main';
let bench: FileExchangeBench;
before(async () => {
  bench = await startFileExchange('756', { name: RAIL });
});
after(() => bench.stop());

const env = () => ({
  TRILHO_MODE: 'live',
  TRILHO_BOLETOS: JSON.stringify([agreementEntry('756', { name: RAIL })]),
  DATABASE_URL: bench.service.databaseUrl,
});
/** By its number: a command uses the machine's clock. */
const newest = async () => {
  const { files } = (await bench.service.get('/boletos/files')).json;
  return files.toSorted((a: { sequence: number }, b: { sequence: number }) => b.sequence - a.sequence)[0];
};
const renew = (sequence: number) => bench.service.post(`/boletos/files/${RAIL}/${sequence}/renew`, {});
const status = async (boleto: SentBoleto) => (await bench.charge(boleto)).boleto.status;
const titlesOf = async (sequence: number) =>
  (await bench.textOf(sequence))
    .split('\r\n')
    .filter(line => line[13] === 'P')
    .map(line => line.slice(37, 57));
const gauge = async () =>
  /^trilho_boleto_files_unanswered\{rail="sicoob:main"\} (\d+)$/m.exec((await bench.service.get('/metrics')).text)?.[1];

let returned = 100;
const hear = (boleto: SentBoleto, occurrence: string, reasons = '') => {
  const entry = { occurrence, reasons, number: boleto.number, amountCents: 15_990n, day: '17112026' };
  return bench.read(bytesOf(returnLines('756', [entry], { sequence: ++returned, day: '17112026' })));
};

test('a warning names a file that the bank has not answered in time, and its unanswered instructions go into a new file', async () => {
  const [one, two] = await bench.send({}, {});
  await hear(two!, '02');
  assert.equal(await gauge(), '0');
  // A Tuesday; Friday is a holiday, so the two banking days end on Thursday.
  bench.service.clock.set('2026-11-19T12:00:00Z');
  assert.equal(await gauge(), '0');
  bench.service.clock.set('2026-11-24T12:00:00Z');
  assert.equal(await gauge(), '1');
  const { cookie } = await logIn(bench.service, 'operator');
  const headers = { ...SAME_ORIGIN, cookie, accept: 'text/html' };
  const page = async () => textOf(await (await fetch(`${bench.service.url}/dashboard`, { headers })).text());
  assert.match(
    await page(),
    /Files without an answer 1 [\s\S]*file 1: 1 instruction without an answer since 2026-11-17/,
  );
  // The doctor uses the machine's clock.
  await bench.service.sql(`update boleto_files set made_at = made_at - interval '30 days'`);
  assert.match(
    (await runCommand(doctorCommand, env(), [])).said,
    /^wrong {2}rail sicoob:main: answers: File 1: 1 instruction without an answer since .* trilho cnab renew sicoob:main --file 1\.$/m,
  );
  const made = await fetch(`${bench.service.url}/dashboard/boletos/renew`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ agreement: RAIL, file: '1', once: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87' }),
    redirect: 'manual',
  });
  assert.equal(made.status, 303, await made.text());
  assert.deepEqual([(await newest()).sequence, await titlesOf(2)], [2, [one!.number]], 'the number of the title stays');
  assert.deepEqual((await renew(1)).json, { files: [], closed: 0 }, 'once');
  assert.equal(await gauge(), '0');
  const offered = await bench.offer(await mkdtemp(path.join(tmpdir(), 'renewed-')));
  assert.deepEqual(
    offered.map(({ sequence }) => sequence),
    [2],
    'the lost file is not sent any more',
  );
  await hear(one!, '02');
  assert.equal(await status(one!), 'REGISTERED');
});

test('no charge fails when a bank gets both files and refuses the second, in either order', async () => {
  const [one, two] = await bench.send({}, {});
  const { sequence } = await newest();
  const said = await runCommand(cnabCommand, env(), ['renew', RAIL, '--file', String(sequence)]);
  assert.equal(said.said, `${RAIL} file ${sequence + 1}: 2 titles.`);
  await hear(one!, '02');
  assert.deepEqual((await hear(one!, '03', '63')).file.counts, { noted: 1 });
  assert.deepEqual((await hear(two!, '03', '63')).file.counts, { registered: 1 });
  await hear(two!, '02');
  assert.deepEqual([await status(one!), await status(two!)], ['REGISTERED', 'REGISTERED']);
  assert.equal((await renew(sequence + 1)).status, 409, 'every instruction is answered');
});

test('no charge fails when a bank gets one file twice and its refusal of the repeat is read first', async () => {
  const [boleto] = await bench.send({});
  const folder = await mkdtemp(path.join(tmpdir(), 'twice-'));
  const offered = await bench.offer(folder);
  await runCommand(cnabCommand, env(), ['write', RAIL, '--file', String(offered.at(-1)!.sequence), '--folder', folder]);
  assert.deepEqual((await hear(boleto!, '03', '63')).file.counts, { registered: 1 });
  assert.equal(await status(boleto!), 'REGISTERED');
  await hear(boleto!, '02');
  assert.equal(await status(boleto!), 'REGISTERED');
});

test('a boleto fails when its bank refuses it the first time, or for another reason than a repeat', async () => {
  const [one, two] = await bench.send({}, {});
  await hear(one!, '03', '63');
  const { sequence } = await newest();
  assert.equal((await renew(sequence)).status, 200);
  await hear(two!, '03', '46');
  assert.deepEqual([await status(one!), await status(two!)], ['FAILED', 'FAILED']);
});

test('after an answer before the new file is made nothing is left to send, and a boleto that is canceled then is written off', async () => {
  const [one, two] = await bench.send({}, {});
  const { sequence } = await newest();
  // No sequence is left for a new file, as when the process ends before it is made.
  await bench.service.sql(
    `insert into boleto_files (rail, sequence, made_at, titles, sha256, offered_at) values ($1, 999999, now(), 1, '', now())`,
    [RAIL],
  );
  assert.equal((await renew(sequence)).status, 503);
  await bench.service.sql('delete from boleto_files where sequence = 999999');
  const waiting = async () => (await bench.service.get('/boletos/instructions?status=waiting')).json.instructions;
  assert.equal((await waiting()).length, 2);
  await hear(one!, '02');
  await bench.service.post(`/charges/${two!.charge.id}/cancel`, {});
  await bench.service.runJobs();
  assert.deepEqual(
    (await waiting()).map(({ chargeId, movement }: Record<string, string>) => [chargeId, movement]),
    [[two!.charge.id, 'write_off']],
  );
});

test('no new file is made for a lost file whose boletos have all ended', async () => {
  await bench.make();
  const [one, two] = await bench.send({}, {});
  const { sequence } = await newest();
  for (const { charge } of [one!, two!]) await bench.service.post(`/charges/${charge.id}/cancel`, {});
  await bench.service.runJobs();
  await bench.make();
  const said = await runCommand(cnabCommand, env(), ['renew', RAIL, '--file', String(sequence)]);
  assert.equal(
    said.said,
    `File ${sequence}: 2 instructions need no answer any more.\nNothing of ${RAIL} waits for a file.`,
  );
  const { files } = (await bench.service.get('/boletos/files')).json;
  assert.equal(files.find((file: { sequence: number }) => file.sequence === sequence).unanswered, 0);
});

test('an unknown file is not found', async () => {
  assert.equal((await renew(777)).status, 404);
});
