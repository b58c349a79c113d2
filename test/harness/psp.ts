// A live service whose pix goes to the simulated PSP, with one clock for both.
import type { Psp, PspOptions } from '@trilho/psp';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import { silentLog } from './log.ts';
import { type Service, startService } from './service.ts';
import { startTestPsp } from './test-psp.ts';

export type ServiceAtPsp = {
  readonly service: Service;
  readonly psp: Psp;
  /** The address at which the PSP notifies of payments. */
  readonly webhookUrl: string;
  /** That address when no other is given. */
  registerWebhook(url?: string): Promise<void>;
  stop(): Promise<void>;
};

const START = '2026-11-16T12:00:00.000Z';
export const RAIL = 'efi:main';

export function railSettings(psp: Psp, changes: Partial<BacenEntry> = {}): BacenEntry {
  const { clientId, clientSecret, keys, certificate } = psp.client;
  return {
    name: RAIL,
    profile: 'custom',
    environment: 'production',
    baseUrl: psp.url,
    tokenUrl: psp.tokenUrl,
    pixKey: keys[0]!,
    clientId,
    clientSecret,
    certificateFile: certificate.certificate,
    privateKeyFile: certificate.key,
    caFile: psp.files.ca,
    timeoutSeconds: 2,
    perSecond: 0,
    webhook: { url: 'https://localhost', clientCaFile: psp.files.webhookChain },
    ...changes,
  };
}

/** As `trilho rails register-webhook` does. No test is about its deadline, and the machine may be busy. */
export async function registerWebhookAt(
  psp: Psp,
  url: string,
  clock: Clock,
  changes: Partial<BacenEntry> = {},
): Promise<void> {
  const rail = bacenRail(railSettings(psp, { timeoutSeconds: 60, ...changes }), { clock, log: silentLog });
  await rail.registerWebhook(url);
  rail.stop();
}

export async function startServiceAtPsp(
  options: {
    readonly psp?: Omit<PspOptions, 'clock'>;
    readonly rail?: Partial<BacenEntry>;
    readonly env?: Readonly<Record<string, string>>;
    readonly log?: Log;
    readonly work?: boolean;
    readonly now?: string;
  } = {},
): Promise<ServiceAtPsp> {
  let service: Service | undefined;
  const start = options.now ?? START;
  const clock = { now: () => service?.clock.now() ?? new Date(start) };
  const psp = await startTestPsp({ webhooks: { retryMs: [] }, ...options.psp, clock });
  const { certificate: certificateFile, key: privateKeyFile } = psp.files.receiver;
  const started = await startService({
    mode: 'live',
    env: {
      TRILHO_RAILS: JSON.stringify([railSettings(psp, options.rail)]),
      TRILHO_RECEIVER: JSON.stringify({ port: 0, certificateFile, privateKeyFile }),
      ...options.env,
    },
    now: start,
    ...(options.log && { log: options.log }),
    ...(options.work !== undefined && { work: options.work }),
  });
  service = started;
  const [row] = await started.sql<{ path_token: string }>('select path_token from rails where name = $1', [RAIL]);
  const webhookUrl = `${started.receiverUrl!.replace('127.0.0.1', 'localhost')}/${row!.path_token}`;
  return {
    service: started,
    psp,
    webhookUrl,
    registerWebhook: (url = webhookUrl) => registerWebhookAt(psp, url, clock, options.rail),
    stop: async () => {
      await started.stop();
      await psp.stop();
    },
  };
}
