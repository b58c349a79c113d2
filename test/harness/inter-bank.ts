// A live service whose boletos go to the simulated API of Inter, which accepts a request, registers it later and notifies.
import assert from 'node:assert/strict';
import type { TitleState } from '@trilho/psp';
import { loadBoletoApiRail } from '../../src/rails/boleto-apis/load.ts';
import { apiEntry, BOLETO_RAIL, type ServiceAtBank, startServiceAtBank } from './boleto-bank.ts';
import { silentLog } from './log.ts';

type Twice = { readonly id: string; readonly repeat: string; readonly line: string };

export type ServiceAtInter = ServiceAtBank & {
  /** As `trilho rails register-webhook` does. */
  registerWebhook(): Promise<void>;
  titles(): readonly TitleState[];
  /** How many requests for a boleto the bank has received. */
  posts(): number;
  /** Moves the clock by a minute and runs every job that follows. */
  later(): Promise<void>;
  /** Asks the bank for a boleto that is not paid. */
  fetchCobranca(code: string): Promise<void>;
  openRail(): Extract<ReturnType<typeof loadBoletoApiRail>, { rail: unknown }>['rail'];
  /** The answer to the first request is lost, and the bank does not list it before the second is sent. */
  createTwice(body?: object, status?: string): Promise<Twice>;
};

export const LATE_LIST = {
  kind: 'stale-read',
  delayMs: 600_000,
  on: { method: 'GET', path: '/cobrancas' },
} as const;

export async function startServiceAtInter(): Promise<ServiceAtInter> {
  const at = await startServiceAtBank('inter', { hasPix: true, api: { webhook: { url: 'https://localhost' } } });
  const { psp, service } = at;
  const [row] = await service.sql<{ path_token: string }>('select path_token from rails where name = $1', [
    BOLETO_RAIL,
  ]);
  const webhookUrl = `${service.receiverUrl!.replace('127.0.0.1', 'localhost')}/${row!.path_token}`;
  const titles = () => psp.state().titles;
  const openRail: ServiceAtInter['openRail'] = () => {
    const entry = apiEntry(psp);
    const loaded = loadBoletoApiRail({ ...entry, api: entry.api! }, { clock: service.clock, log: silentLog });
    assert('rail' in loaded);
    return loaded.rail;
  };
  const later = async () => {
    service.clock.advanceMs(61_000);
    await service.runJobs();
  };
  return {
    ...at,
    openRail,
    titles,
    later,
    posts: () => psp.requests().filter(({ method, path }) => method === 'POST' && path === '/cobrancas').length,
    registerWebhook: async () => {
      const rail = openRail();
      await rail.webhook!.registerWebhook(webhookUrl);
      assert.deepEqual(await rail.webhook!.readWebhook(), { url: webhookUrl });
      rail.stop();
    },
    fetchCobranca: async code => {
      const rail = openRail();
      assert(rail.watch?.by === 'time');
      assert.equal(await rail.watch.receipt(code), undefined);
      rail.stop();
    },
    createTwice: async (body = {}, status = 'REGISTERED') => {
      const before = titles().length;
      psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/cobrancas' }, count: 1 });
      psp.setFault(LATE_LIST);
      psp.setTitles({ processing: 0 });
      const { json } = await at.create({ ...body });
      for (let look = 0; look < 3; look++) await later();
      psp.setTitles({ processing: 1 });
      const { boleto } = await at.read(json.id);
      const made = titles().slice(before);
      assert.deepEqual([boleto.status, made.length], [status, 2]);
      assert.equal(boleto.digitableLine, made[1]?.line);
      return { id: json.id, repeat: made[0]!.line, line: made[1]!.line };
    },
  };
}
