// Mandates and their collections at a simulated PSP: made, approved and collected, while a test moves the clock of both.
import assert from 'node:assert/strict';
import { recordingLog } from './log.ts';
import { railSettings, startServiceAtPsp } from './psp.ts';
import { openPspNode, type PspPlace } from './psp-verbs.ts';

export const AUTOMATIC = { branch: '9708', account: '012682', accountType: 'CORRENTE' } as const;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const MARIA = { name: 'Maria da Silva', document: '52998224725' } as const;

type More = Readonly<Record<string, unknown>>;
export type MandatesAtPsp = Awaited<ReturnType<typeof startMandatesAtPsp>>;

export async function startMandatesAtPsp() {
  const { log, lines } = recordingLog();
  const at = await startServiceAtPsp({
    rail: { automatic: AUTOMATIC, timeoutSeconds: 5 },
    env: { TRILHO_RATE_LIMIT: '0' },
    log,
  });
  await at.registerWebhook();
  const { service, psp } = at;

  async function newCustomer(more: More = {}): Promise<string> {
    const made = await service.post('/customers', { accountId: 'acme', ...MARIA, separate: true, ...more });
    assert.equal(made.status, 201, made.text);
    return made.json.id;
  }

  /** The day in Brazil, some days from now. */
  const day = (ahead: number) =>
    new Date(service.clock.now().getTime() - 3 * HOUR_MS + ahead * DAY_MS).toISOString().slice(0, 10);

  async function work(): Promise<void> {
    await psp.settled();
    await service.runJobs();
  }

  async function later(ms: number): Promise<void> {
    service.clock.advanceMs(ms);
    await work();
  }

  /** To an hour in Brazil, in steps that leave no look out. */
  async function until(target: string, hour = '12'): Promise<void> {
    const msLeft = () => new Date(`${target}T${hour}:00:00-03:00`).getTime() - service.clock.now().getTime();
    while (msLeft() > 0) await later(Math.min(8 * HOUR_MS, msLeft()));
  }

  const create = async (more: More = {}) =>
    service.post('/mandates', {
      accountId: 'acme',
      customerId: more['customerId'] ?? (await newCustomer()),
      journey: 2,
      contract: 'C-1',
      description: 'Plano mensal',
      period: 'MONTHLY',
      firstDay: day(1),
      amountCents: 3_500,
      ...more,
    });

  const read = async (id: string) => (await service.get(`/mandates/${id}`)).json;

  /** One that the PSP has. */
  async function started(more: More = {}): Promise<string> {
    const made = await create(more);
    assert.equal(made.status, 201, made.text);
    await work();
    await later(5 * MINUTE_MS);
    return made.json.id;
  }

  async function approved(more: More = {}): Promise<string> {
    const id = await started(more);
    psp.automatic.approve({ emv: (await read(id)).emv });
    await work();
    assert.equal((await read(id)).status, 'APPROVED');
    return id;
  }

  async function newCharge(dueDay: string, more: More = {}): Promise<string> {
    const made = await service.post('/charges', {
      accountId: 'acme',
      amountCents: 3_500,
      currency: 'BRL',
      methods: ['pix'],
      dueAt: `${dueDay}T20:00:00-03:00`,
      customer: MARIA,
      ...more,
    });
    assert.equal(made.status, 201, made.text);
    await work();
    return made.json.id;
  }

  const collect = (mandateId: string, chargeId: string) =>
    service.post(`/mandates/${mandateId}/collections`, { chargeId });
  /** A collection that the PSP has, of a mandate of its own. */
  async function collected(dueDay = day(5)) {
    const id = await approved();
    const chargeId = await newCharge(dueDay);
    const made = await collect(id, chargeId);
    assert.equal(made.status, 201, made.text);
    await work();
    await later(11 * MINUTE_MS);
    const [collection] = (await read(id)).collections;
    assert.deepEqual([collection.status, collection.attempts[0].status], ['ACTIVE', 'SCHEDULED']);
    return { id, chargeId, collectionId: collection.id as string };
  }
  const cancelCollection = (id: string) => service.post(`/collections/${id}/cancel`, {});
  const readCharge = async (id: string) => (await service.get(`/charges/${id}`)).json;

  return {
    ...at,
    /** What the service has logged. */
    lines,
    newCustomer,
    day,
    work,
    later,
    until,
    create,
    started,
    approved,
    read,
    newCharge,
    collect,
    collected,
    cancelCollection,
    readCharge,
    /** A node of its own, whose verbs the test runs. */
    openNode: async () => {
      const node = await openPspNode(service.databaseUrl);
      const { certificate: certificateFile, key: privateKeyFile } = psp.files.receiver;
      const place: PspPlace = {
        rail: railSettings(psp, { automatic: AUTOMATIC, timeoutSeconds: 60 }),
        controlUrl: psp.controlUrl,
        receiver: { certificateFile, privateKeyFile, pathToken: 'unused' },
      };
      return { ...node, place };
    },
    cancelMandate: (id: string) => service.post(`/mandates/${id}/cancel`, {}),
    stateOf: async (chargeId: string) => (await readCharge(chargeId)).state,
    typesOf: async (id: string) =>
      (await service.get(`/events?objectId=${id}`)).json.events.map(({ type }: { type: string }) => type).sort(),
    /** The newest collection of a mandate. */
    collectionOf: async (id: string) => (await read(id)).collections.at(-1),
    /** Pays a charge by its own code. */
    payCharge: async (id: string) => psp.pay({ emv: (await readCharge(id)).pix.emv }),
    /** How many requests of a method went to paths that start so. */
    sentTo: (method: string, path: string) =>
      psp.requests().filter(one => one.method === method && one.path.startsWith(path)).length,
  };
}
