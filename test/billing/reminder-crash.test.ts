// Sending a reminder, cut off after each of its steps and taken up again: the payer never gets two mails, and what is not known is UNKNOWN.
// Planning those of a day with many charges, cut off between two batches.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Mail } from '../../src/billing/reminders/mail.ts';
import { type SendDeps, sendReminder } from '../../src/billing/reminders/send.ts';
import { smtpSender } from '../../src/billing/reminders/smtp.ts';
import { reminderSweep } from '../../src/billing/reminders/sweep.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS } from '../../src/nouns.ts';
import { type Database, openDatabase, type Sql } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { type MailServer, startMailServer } from '../harness/mail-server.ts';
import { type Service, startService } from '../harness/service.ts';
import { cutOffAfter, type Steps } from '../harness/steps.ts';

const MAX_STEPS = 40;
const HOUR_MS = 3_600_000;

let service: Service;
let server: MailServer;
let db: Database;
before(async () => {
  server = await startMailServer();
  service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  const rule = await service.post('/reminders/rules', { accountId: 'acme', when: 'on', channels: ['email', 'event'] });
  assert.equal(rule.status, 201, rule.text);
});
after(async () => {
  await db.close();
  await service.stop();
  await server.stop();
});

async function newReminder(): Promise<string> {
  const customer = { name: 'Maria da Silva', document: '529.982.247-25', email: 'maria@example.org' };
  const made = await service.post('/charges', chargeBody({ customer, dueAt: '2026-11-16T23:59:59-03:00' }));
  await service.runJobs();
  const [row] = await service.sql<{ id: string }>(
    `insert into reminders (id, account_id, charge_id, occasion, days, due_day, reason, channels, status, due_at, created_at, updated_at)
     values (gen_random_uuid(), 'acme', $1, 'on', 0, '2026-11-16', 'on:2026-11-16', '{email,event}', 'WAITING', $2, $2, $2) returning id`,
    [made.json.id, service.clock.now()],
  );
  return row!.id;
}

/** A node of its own, some hours later. */
async function run(reminderId: string, hours: number, steps?: Steps): Promise<void> {
  const links = await openLinks(db, () => 'http://localhost');
  const partner = { send: smtpSender(mailServer()) };
  const compose = async ({ to }: { readonly to: string }): Promise<Mail> => ({
    ...{ to, subject: 'Vence hoje', text: 'Vence hoje', html: '<p>Vence hoje</p>' },
    ...{ optOutUrl: 'http://localhost/reminders/opt-out/x', attachments: [] },
  });
  const deps: SendDeps = {
    ...{ links, log: silentLog },
    db: steps ? steps.database(db) : db,
    clock: { now: () => new Date(service.clock.now().getTime() + hours * HOUR_MS) },
    mailing: { compose, send: (steps ? steps.partner(partner, ['send']) : partner).send },
  };
  await sendReminder(deps, { reminderId, accountId: 'acme' });
}

function mailServer() {
  const { TRILHO_SMTP_PORT: port, TRILHO_SMTP_USER: user, TRILHO_SMTP_PASSWORD: password } = server.env;
  const login = { user: user!, password: password! };
  return { host: '127.0.0.1', port: Number(port), tls: 'off', login, from: { address: 'bills@example.com' } } as const;
}

test('a reminder that is cut off anywhere is mailed at most once, and its event is recorded once', async () => {
  const ends = new Map<string, number>();
  let steps = 1;
  for (; steps < MAX_STEPS; steps++) {
    const id = await newReminder();
    server.mails.length = 0;
    const isCut = await cutOffAfter(steps, counted => run(id, 0, counted));
    // Its job runs again at once, and when the sweep finds it.
    for (const hours of [0, 1, 2]) await run(id, hours);
    const [row] = await service.sql<{ status: string }>('select status from reminders where id = $1', [id]);
    const mailed = server.mails.length;
    assert.ok(mailed <= 1, `${mailed} mails after a cut at step ${steps}`);
    assert.ok(['SENT', 'UNKNOWN'].includes(row!.status), `${row!.status} after a cut at step ${steps}`);
    if (row!.status === 'SENT') assert.equal(mailed, 1, `step ${steps}`);
    ends.set(`${row!.status} ${mailed}`, steps);
    const { events } = (await service.get(`/events?objectId=${id}`)).json;
    assert.equal(events.filter(({ type }: { type: string }) => type === 'reminder.due').length, 1);
    assert.equal(events.length, 2);
    if (!isCut) break;
  }
  assert.ok(steps > 8 && steps < MAX_STEPS, `${steps} steps`);
  assert.deepEqual([...ends.keys()].sort(), ['SENT 1', 'UNKNOWN 0', 'UNKNOWN 1']);
});

/** More than two batches of the sweep. */
const CROWD = 1_100;

/** All due at one moment, and one on the next day. Their reminders wait until the quiet hours end. */
async function newCrowd(accountId: string): Promise<void> {
  const made = async (path: string, body: object, method = 'POST') => {
    const headers = { 'content-type': 'application/json' };
    const answer = await service.send(path, { method, headers, body: JSON.stringify(body) });
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };
  await made(`/accounts/${accountId}/reminder-settings`, { sendAt: '21:00' }, 'PATCH');
  await made('/reminders/rules', { accountId, when: 'before', days: 3, channels: ['event'] });
  const [first] = [
    await made('/charges', chargeBody({ accountId, dueAt: '2026-11-20T23:59:59-03:00' })),
    await made('/charges', chargeBody({ accountId, dueAt: '2026-11-21T23:59:59-03:00' })),
  ];
  await service.sql(
    `insert into charges
     select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).* from charges c, generate_series(2, $2) where id = $1`,
    [first.id, CROWD],
  );
  await service.sql('analyze charges');
}

async function chargesRead(tx: Sql): Promise<number> {
  const [row] = await tx.query<{ rows: string }>(
    `select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'charges'`,
  );
  return Number(row!.rows);
}

test('planning the reminders of a crowded day goes on where a batch ended, also on another node', async t => {
  const accountId = 'crowd';
  await newCrowd(accountId);
  const queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
  t.after(() => queue.stop());
  const total = async () => (await service.get(`/reminders?accountId=${accountId}`)).json.total;
  const reads: number[] = [];
  const counted: Database = {
    ...db,
    transaction: (work, options) =>
      db.transaction(async tx => {
        const before = await chargesRead(tx);
        const result = await work(tx);
        reads.push((await chargesRead(tx)) - before);
        return result;
      }, options),
  };
  const at = new Date('2026-11-17T21:00:00-03:00');
  // A look, the statements of the first batch, its commit, and in the second run the statements of the second batch as well.
  for (const steps of [3, 4]) {
    const isCut = await cutOffAfter(steps, counting =>
      reminderSweep({ db: counting.database(counted), queue }).upTo(at),
    );
    assert.ok(isCut);
    const planned = await total();
    assert.ok(planned > 0 && planned < CROWD, `${planned} of ${CROWD}`);
  }
  await reminderSweep({ db: counted, queue }).upTo(at);
  assert.equal(await total(), CROWD);
  assert.ok(reads.at(-1)! < reads[0]!, `charges read by each batch: ${reads}`);
  await reminderSweep({ db: counted, queue }).upTo(new Date('2026-11-18T21:00:00-03:00'));
  assert.equal(await total(), CROWD + 1);
});
