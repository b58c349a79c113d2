// Charges through a PSP: created while the caller waits for its code, then paid at the PSP, credited by its notification, and
// the event delivered to a receiver. Service, database, PSP and receiver share the machine.
import { createServer } from 'node:net';
import path from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/lib/log.ts';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import type { BacenSettings } from '../../src/rails/bacen/settings.ts';
import { createCallers } from '../callers.ts';
import { type ChargeRequests, chargeRequests } from '../charge-requests.ts';
import { type DatabaseServer, withClient } from '../database-server.ts';
import { formatMs, formatRate, percentileOf } from '../figures.ts';
import { openConnection, post } from '../http-load.ts';
import { createMigrated } from '../orders.ts';
import { createWebhook, type Receiver, startReceiver } from '../payers.ts';
import { startProcessorMeter } from '../processor-time.ts';
import { type RunningProgram, startProgram } from '../programs.ts';
import { startTrilho } from '../trilho.ts';
import type { PartDeps } from './part.ts';

const DATABASE = 'psp';
const MIN_RATE = 300;
const CALLERS = 32;
const PAYERS = 32;
const RAIL = 'psp:bench';

type PspInfo = {
  readonly url: string;
  readonly tokenUrl: string;
  readonly controlUrl: string;
  readonly clients: readonly {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly keys: readonly string[];
    readonly certificate: { readonly certificate: string; readonly key: string };
  }[];
  readonly files: {
    readonly ca: string;
    readonly webhookChain: string;
    readonly receiver: { readonly certificate: string; readonly key: string };
  };
};

export async function measurePsp({ server, report, options }: PartDeps): Promise<void> {
  const seconds = options.waySeconds;
  await createMigrated(server, DATABASE);
  const callers = await createCallers(server.url(DATABASE), 'live');
  const receiver = await startReceiver();
  const psp = await startSimulatedPsp(server);
  try {
    const info = (await (await fetch(psp.url)).json()) as PspInfo;
    const settings = settingsFor(info);
    const port = await freePort();
    const { certificate: certificateFile, key: privateKeyFile } = info.files.receiver;
    const service = await startTrilho(server, DATABASE, {
      mode: 'live',
      allowsLocal: true,
      env: {
        TRILHO_RAILS: JSON.stringify([
          { ...settings, webhook: { url: 'https://localhost', clientCaFile: info.files.webhookChain } },
        ]),
        TRILHO_RECEIVER: JSON.stringify({ port, certificateFile, privateKeyFile }),
      },
    });
    try {
      await registerWebhook(server, settings, port);
      for (const caller of callers) await createWebhook(service.url, caller, receiver);
      const charges = chargeRequests('live', callers);
      await createFor(service.url, charges, Math.min(3, seconds));
      const others = { PSP: psp.pid, 'callers and receiver': process.pid };
      const meter = startProcessorMeter(service.pid, server.postmasterPid(), others);
      const created = await createFor(service.url, charges, seconds);
      const rate = created.ids.length / seconds;
      report.add({
        part: 'psp',
        measured: `charges with the PSP's code in the answer, ${CALLERS} callers`,
        result: `${formatRate(rate)}, p50 ${formatMs(percentileOf(created.times, 0.5))}, p99 ${formatMs(percentileOf(created.times, 0.99))}`,
        comparedWith: `${created.withoutCode} of ${created.ids.length} without a code`,
        goal: { text: `≥ ${MIN_RATE}/s`, isMet: rate >= MIN_RATE },
      });
      report.note(`psp, charges: ${meter.perRequest(created.ids.length)}.`);
      const paying = startProcessorMeter(service.pid, server.postmasterPid(), others);
      const paid = await payAll(psp.url, created.ids, receiver);
      report.add({
        part: 'psp',
        measured: `paid at the PSP, notified, credited, event delivered, ${PAYERS} payers`,
        result: `${formatRate(paid.rate)}, p50 ${formatMs(percentileOf(paid.times, 0.5))}, p99 ${formatMs(percentileOf(paid.times, 0.99))}`,
        comparedWith: 'time from the payment at the PSP to the event',
        goal: { text: `≥ ${MIN_RATE}/s`, isMet: paid.rate >= MIN_RATE },
      });
      report.note(`psp, payments: ${paying.perRequest(created.ids.length)}.`);
    } finally {
      await service.stop();
    }
  } finally {
    await psp.stop();
    receiver.stop();
  }
  await server.drop(DATABASE);
}

/** The address of the control API is its url. */
function startSimulatedPsp(server: DatabaseServer): Promise<RunningProgram> {
  return startProgram(server, {
    name: 'psp',
    command: process.execPath,
    args: ['bin/trilho.js', 'psp', '--port', '0', '--control-port', '0', '--folder', path.join(server.dir, 'psp-keys')],
    env: {},
    url: /Control\s+(http:\S+)/,
    readyPath: '/',
  });
}

function settingsFor({ url, tokenUrl, clients, files }: PspInfo): BacenSettings {
  const { clientId, clientSecret, keys, certificate } = clients[0]!;
  return {
    name: RAIL,
    profile: 'custom',
    environment: 'production',
    baseUrl: url,
    tokenUrl,
    pixKey: keys[0]!,
    clientId,
    clientSecret,
    certificateFile: certificate.certificate,
    privateKeyFile: certificate.key,
    caFile: files.ca,
    perSecond: 0,
  };
}

async function registerWebhook(server: DatabaseServer, settings: BacenSettings, port: number): Promise<void> {
  const { rows } = await withClient(server.url(DATABASE), client =>
    client.query<{ path_token: string }>('select path_token from rails where name = $1', [RAIL]),
  );
  const rail = bacenRail(settings, { clock: systemClock, log: createLog('warn', process.stderr) });
  await rail.registerWebhook(`https://localhost:${port}/${rows[0]!.path_token}`);
  rail.stop();
}

type Created = { readonly ids: { id: string; txid: string }[]; readonly times: number[]; withoutCode: number };

async function createFor(url: string, charges: ChargeRequests, seconds: number): Promise<Created> {
  const created: Created = { ids: [], times: [], withoutCode: 0 };
  const endsAt = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const connection = await openConnection(url);
      while (performance.now() < endsAt) {
        const beganAt = performance.now();
        const answer = await connection.send(charges.nextRequest());
        if (answer.status !== 201)
          throw new Error(`POST /charges was answered with ${answer.status}: ${answer.body()}`);
        created.times.push(performance.now() - beganAt);
        const { id, pix } = JSON.parse(answer.body());
        created.ids.push({ id, txid: pix.txid });
        if (pix.emv === '') created.withoutCode++;
      }
      connection.close();
    }),
  );
  return created;
}

/** Pays each charge once, and measures until its event has arrived. */
async function payAll(
  controlUrl: string,
  charges: readonly { readonly id: string; readonly txid: string }[],
  receiver: Receiver,
): Promise<{ rate: number; times: number[] }> {
  const waiting = [...charges];
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: PAYERS }, async () => {
      const connection = await openConnection(controlUrl);
      for (let charge = waiting.pop(); charge; charge = waiting.pop()) {
        const paidAt = performance.now();
        const answer = await connection.send(post('/pay', JSON.stringify({ txid: charge.txid }), {}));
        if (answer.status !== 201) throw new Error(`POST /pay was answered with ${answer.status}: ${answer.body()}`);
        await receiver.waitFor('charge.paid', charge.id);
        times.push(performance.now() - paidAt);
      }
      connection.close();
    }),
  );
  return { rate: charges.length / ((performance.now() - startedAt) / 1000), times };
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
