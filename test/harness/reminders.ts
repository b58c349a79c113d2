// A sandbox with charges that payers are reminded of, each test in an account of its own, and a mail server where a test asks for one.
import assert from 'node:assert/strict';
import type { ParsedMail } from 'mailparser';
import { chargeBody } from './bodies.ts';
import { startMailServer } from './mail-server.ts';
import { type Answer, type Service, startService } from './service.ts';

export const EMAIL = 'maria@example.org';

export type ReminderBench = Awaited<ReturnType<typeof startReminderBench>>;

/** It begins on a Monday, at 9:00 in São Paulo. */
export async function startReminderBench() {
  const service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  return { ...benchOf(service), stop: () => service.stop() };
}

export type MailBench = Awaited<ReturnType<typeof startMailBench>>;

export async function startMailBench() {
  const server = await startMailServer();
  const service = await startService({ now: '2026-11-16T12:00:00.000Z', env: server.env });
  return {
    ...benchOf(service),
    server,
    /** The mails that were taken since it was last called. */
    taken: (): ParsedMail[] => server.mails.splice(0),
    stop: async () => {
      await service.stop();
      await server.stop();
    },
  };
}

function benchOf(service: Service) {
  let accounts = 0;
  const read = async (path: string) => (await service.get(path)).json;
  const made = async (path: string, body: object): Promise<Answer['json']> => {
    const answer = await service.post(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  /** The day in Brazil, some days from now. */
  const day = async (ahead: number) => {
    const now = new Date(String((await read('/sandbox/clock')).now)).getTime();
    return new Date(now - 3 * 3_600_000 + ahead * 86_400_000).toISOString().slice(0, 10);
  };
  const moveTo = async (to: string) => {
    const moved = await service.post('/sandbox/clock', { to });
    assert.equal(moved.status, 200, moved.text);
  };
  return {
    service,
    /** An account that no other test has. */
    newAccount: () => `account ${++accounts}`,
    read,
    made,
    day,
    moveTo,
    /** To the noon of a day from now. */
    moveDays: async (days: number) => moveTo(`${await day(days)}T12:00:00-03:00`),
    send: (method: string, path: string, body?: unknown) =>
      service.send(path, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    pay: (chargeId: string) => service.post(`/sandbox/charges/${chargeId}/pay`, { method: 'pix' }),
    newRule: (accountId: string, rule: object) => made('/reminders/rules', { accountId, channels: ['event'], ...rule }),
    /** The id of a charge that is due on a day from now, of a payer with an address. */
    newCharge: async (accountId: string, dueIn: number, changes: object = {}): Promise<string> => {
      const dueAt = `${await day(dueIn)}T23:59:59-03:00`;
      const expireAt = `${await day(dueIn + 40)}T23:59:59-03:00`;
      const customer = { name: 'Maria <da Silva>', document: '529.982.247-25', email: EMAIL };
      return (await made('/charges', chargeBody({ accountId, dueAt, expireAt, customer, ...changes }))).id;
    },
    /** `before 3 SKIPPED paid`, oldest first. */
    remindersOf: async (chargeId: string): Promise<string[]> => {
      const { reminders } = await read(`/charges/${chargeId}/reminders`);
      return reminders
        .reverse()
        .map(({ when, days, status, cause }: Record<string, unknown>) =>
          [when, days, status, cause].filter(Boolean).join(' '),
        );
    },
    attemptsOf: async (chargeId: string): Promise<number[]> =>
      (await read(`/charges/${chargeId}/reminders`)).reminders.map(({ attempts }: { attempts: number }) => attempts),
    eventsOf: async (accountId: string) =>
      (await read(`/events?accountId=${encodeURIComponent(accountId)}&limit=1000`)).events.filter(
        ({ type }: { type: string }) => type.startsWith('reminder.'),
      ),
    typesOf: async (accountId: string): Promise<string[]> =>
      (await read(`/events?accountId=${encodeURIComponent(accountId)}&limit=1000`)).events
        .map(({ type }: { type: string }) => type)
        .filter((type: string) => type.startsWith('reminder.')),
  };
}
