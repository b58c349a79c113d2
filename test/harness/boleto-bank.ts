// A live service whose boletos go to the simulated API of a bank, with one clock for both.
import assert from 'node:assert/strict';
import { type Psp, type PspOptions, startPsp, type TitleState } from '@trilho/psp';
import type { Log } from '../../src/lib/log.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { boletoBody } from './agreements.ts';
import { railSettings } from './psp.ts';
import { type Answer, type Service, startService } from './service.ts';

export const BOLETO_RAIL = 'bank:boletos';
const PIX_RAIL = 'bank:pix';
const START = '2026-11-16T12:00:00.000Z';

type Profile = 'sicoob' | 'inter';
type Api = NonNullable<AgreementEntry['api']>;

const AGREEMENTS = {
  sicoob: { bank: '756', agency: '4327', beneficiaryCode: '42971', carteira: '1', modality: '01' },
  inter: { bank: '077' },
} as const;

export type ApiChanges = { readonly entry?: Partial<AgreementEntry>; readonly api?: Partial<Api> };

/** An entry of `boletos` for the simulated bank. */
export function apiEntry(psp: Psp, { entry, api }: ApiChanges = {}): AgreementEntry {
  assert(psp.profile === 'sicoob' || psp.profile === 'inter');
  const { clientId, clientSecret, certificate } = psp.client;
  return {
    name: BOLETO_RAIL,
    holderName: 'Loja de Teste Ltda',
    holderDocument: '12ABC34501DE35',
    accountNumber: '3666',
    accountDigit: '8',
    ...AGREEMENTS[psp.profile],
    ...entry,
    api: {
      profile: psp.profile,
      environment: 'production',
      baseUrl: psp.titlesUrl!,
      tokenUrl: psp.tokenUrl,
      clientId,
      ...(psp.profile === 'inter' && { clientSecret }),
      certificateFile: certificate.certificate,
      privateKeyFile: certificate.key,
      caFile: psp.files.ca,
      timeoutSeconds: 2,
      perSecond: 0,
      ...api,
    },
  };
}

/** The pix API of the same bank, with the same client. */
export function pixEntry(psp: Psp, changes: Partial<BacenEntry> = {}): BacenEntry {
  const { webhook: _, clientSecret, ...settings } = railSettings(psp, { name: PIX_RAIL });
  const profile = psp.profile as Profile;
  return {
    ...settings,
    profile,
    ...(profile === 'inter' && { clientSecret, accountNumber: '36668' }),
    ...changes,
  };
}

export type ServiceAtBank = {
  readonly service: Service;
  readonly psp: Psp;
  create(changes?: Record<string, unknown>): Promise<Answer>;
  read(id: string): Promise<Answer['json']>;
  /** Asks the bank for payments and runs every job that follows. */
  look(): Promise<void>;
  title(line: string): TitleState;
  stop(): Promise<void>;
};

export async function startServiceAtBank(
  profile: Profile,
  options: ApiChanges & {
    readonly psp?: Omit<PspOptions, 'clock' | 'profile'>;
    readonly hasPix?: boolean;
    readonly env?: Readonly<Record<string, string>>;
    readonly log?: Log;
    readonly now?: string;
  } = {},
): Promise<ServiceAtBank> {
  let service: Service | undefined;
  const start = options.now ?? START;
  const clock = { now: () => service?.clock.now() ?? new Date(start) };
  const psp = await startPsp({ webhooks: { retryMs: [] }, ...options.psp, profile, clock });
  const { certificate: certificateFile, key: privateKeyFile } = psp.files.receiver;
  const started = await startService({
    mode: 'live',
    env: {
      TRILHO_BOLETOS: JSON.stringify([apiEntry(psp, options)]),
      ...(options.hasPix && { TRILHO_RAILS: JSON.stringify([pixEntry(psp)]) }),
      TRILHO_RECEIVER: JSON.stringify({ port: 0, certificateFile, privateKeyFile }),
      TRILHO_BANK_WAIT_MS: '10000',
      ...options.env,
    },
    now: start,
    ...(options.log && { log: options.log }),
  });
  service = started;
  return {
    service: started,
    psp,
    create: changes => started.post('/charges', boletoBody(changes)),
    read: async id => (await started.get(`/charges/${id}`)).json,
    look: async () => {
      started.clock.advanceMs(5 * 60_000 + 1_000);
      await started.runJobs();
    },
    title: line => {
      const found = psp.state().titles.find(title => title.line === line);
      assert(found, 'the bank has a boleto with this digitable line');
      return found;
    },
    stop: async () => {
      await started.stop();
      await psp.stop();
    },
  };
}
