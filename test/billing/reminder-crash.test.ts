// Sending a reminder, cut off after each of its steps and taken up again: the payer never gets two mails, and what is not known is UNKNOWN.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Mail } from '../../src/billing/reminders/mail.ts';
import { type SendDeps, sendReminder } from '../../src/billing/reminders/send.ts';
import { smtpSender } from '../../src/billing/reminders/smtp.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
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
