// Payments and returns that a PSP lists and that cannot be read: each waits for a person under its end-to-end id, until a person
// dismisses it or the PSP shows it readably.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { runCommand } from '../harness/commands.ts';
import { silentLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';
import { PIX_KEY, startScriptedPsp } from '../rails/bacen/scripted-psp.ts';

const E2E = 'E0000000020261116120000000000001';
const OTHER = 'E0000000020261116120000000000002';
const START = '2026-11-16T12:00:00.000Z';
const PIX = { endToEndId: E2E, valor: '159.90', horario: '2026-11-16T12:00:10.000Z', chave: PIX_KEY };

type Pix = Record<string, unknown>;

test('an unreadable payment of the PSP waits for a person under its end-to-end id', async t => {
  const psp = await startScriptedPsp(t);
  let listed: Pix[] = [];
  psp.answer(({ path }) => {
    if (/\/pix$/.test(path)) return { body: { parametros: {}, pix: listed } };
    const one = listed.find(({ endToEndId }) => path.endsWith(`/pix/${endToEndId}`));
    return one ? { body: one } : { status: 404 };
  });
  let service: Service | undefined;
  let now = new Date(START);
  const rail = bacenRail(psp.settings, { clock: { now: () => now }, log: silentLog });
  const at = await startService({ rails: { ...sandboxRails, pix: rail }, now: START });
  service = at;
  t.after(async () => {
    await service?.stop();
    rail.stop();
  });
  const look = async (minutes = 2) => {
    await at.post('/sandbox/clock', { advance: `PT${minutes}M` });
    now = new Date((await at.get('/sandbox/clock')).json.now);
    await at.runJobs();
  };
  const kept = async () => (await at.get('/payments/unmatched')).json.payments;
  const dismiss = (reference: string) => at.post('/payments/unmatched/dismiss', { reference });
  const doctor = async () => (await runCommand(doctorCommand, { DATABASE_URL: at.databaseUrl }, [])).said;

  await look();
  listed = [
    { ...PIX, valor: '159,90' },
    { ...PIX, endToEndId: OTHER, horario: 'yesterday' },
  ];
  await look();
  const [first, second] = await kept();
  assert.deepEqual(
    [first.reference, first.reason, first.amountCents, second.reference, second.reason, second.amountCents],
    [OTHER, 'unreadable', 15_990, E2E, 'unreadable', undefined],
  );
  assert.match(first.words, /horario «yesterday»/);
  assert.match(second.words, /valor «159,90»/);
  const said = await doctor();
  assert.match(said, new RegExp(`^warning.*${E2E}.*valor «159,90»`, 'm'));
  assert.match(said, new RegExp(`^warning.*${OTHER}`, 'm'));
  const read = async (path: string) => (await fetch(at.url + path)).text();
  const page = await read('/dashboard/unmatched');
  assert.ok(page.includes(E2E) && page.includes('not readable'), page);
  assert.match(await read('/dashboard/unmatched.csv'), new RegExp(`${E2E}.*;;|${E2E}.*,,|${E2E}`));
  assert.match(await read('/dashboard'), new RegExp(OTHER));

  // A person has looked at one of them at the PSP.
  const dismissed = await dismiss(OTHER);
  assert.deepEqual([dismissed.status, dismissed.json.reference, dismissed.json.reason], [200, OTHER, 'unreadable']);
  assert.equal((await dismiss(OTHER)).status, 200);
  const lines = await at.sql(
    `select action from audit_inbox where object_id = $1 union all select action from audit_log where object_id = $1`,
    [OTHER],
  );
  assert.ok(
    lines.some(({ action }) => action === 'POST /payments/unmatched/dismiss'),
    JSON.stringify(lines),
  );
  await look();
  assert.deepEqual(
    (await kept()).map(({ reference }: { reference: string }) => reference),
    [E2E],
  );

  // The PSP shows the other one readably, long after the look that covers its time.
  await look(60);
  listed = [];
  await look(60);
  assert.equal((await kept())[0]?.reason, 'unreadable');
  psp.answer(({ path }) => (path.endsWith(`/pix/${E2E}`) ? { body: PIX } : { body: { parametros: {}, pix: [] } }));
  await look(20);
  const [money] = await kept();
  assert.deepEqual([money.reference, money.reason, money.amountCents], [E2E, 'no_match', 15_990]);
  assert.doesNotMatch(await doctor(), new RegExp(E2E));

  // A return of it cannot be read.
  const damaged = { ...PIX, devolucoes: [{ id: 'D1', rtrId: 'D0000000020261116120000000000001', valor: 'x' }] };
  psp.answer(({ path }) => ({ body: /\/pix$/.test(path) ? { parametros: {}, pix: [damaged] } : damaged }));
  await look();
  const both = (await kept()).map(({ reference, reason, amountCents }: Pix) => [reference, reason, amountCents]);
  assert.deepEqual(both, [
    [E2E, 'unreadable', 15_990],
    [E2E, 'no_match', 15_990],
  ]);
  const whole = { ...PIX, devolucoes: [{ ...damaged.devolucoes[0], valor: '1.00', status: 'DEVOLVIDO' }] };
  psp.answer(({ path }) => ({ body: /\/pix$/.test(path) ? { parametros: {}, pix: [whole] } : whole }));
  await look(20);
  assert.deepEqual(
    (await kept()).map(({ reason, returnedCents }: Pix) => [reason, returnedCents]),
    [['no_match', 100]],
  );
});
