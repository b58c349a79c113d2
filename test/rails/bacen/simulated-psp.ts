// The simulated PSP of one profile, and a rail configured for it.
import type { TestContext } from 'node:test';
import type { Psp, PspOptions } from '@trilho/psp';
import type { ProfileName } from '../../../src/rails/bacen/profiles.ts';
import { type BacenRail, bacenRail } from '../../../src/rails/bacen/rail.ts';
import type { BacenSettings } from '../../../src/rails/bacen/settings.ts';
import { type TestClock, testClock } from '../../harness/clock.ts';
import { recordingLog } from '../../harness/log.ts';
import { startTestPsp } from '../../harness/test-psp.ts';
import { NOW } from './scripted-psp.ts';

type Simulated = {
  readonly psp: Psp;
  readonly rail: BacenRail;
  readonly settings: BacenSettings;
  readonly clock: TestClock;
  readonly lines: string[];
};

/** What only some profiles need; the others ignore it. */
const VALUES = { accountNumber: '123456789', appKey: 'app-key' };

/** The account of the simulated PSP's client. */
export const AUTOMATIC = { branch: '9708', account: '012682', accountType: 'CORRENTE' } as const;

export async function startSimulated(
  t: TestContext,
  profile: ProfileName,
  {
    quirks,
    withAutomatic = false,
    ...options
  }: Omit<PspOptions, 'profile' | 'clock'> & Pick<BacenSettings, 'quirks'> & { readonly withAutomatic?: boolean } = {},
): Promise<Simulated> {
  const clock = testClock(NOW);
  const psp = await startTestPsp({ ...options, profile: profile === 'custom' ? 'bacen' : profile, clock });
  t.after(() => psp.stop());
  const { log, lines } = recordingLog();
  const settings = {
    ...settingsFor(psp, profile),
    ...(quirks && { quirks }),
    ...(withAutomatic && { automatic: AUTOMATIC }),
  };
  const rail = bacenRail(settings, { clock, log });
  t.after(() => rail.stop());
  return { psp, rail, settings, clock, lines };
}

export function settingsFor(psp: Psp, profile: ProfileName): BacenSettings {
  const { clientId, clientSecret, keys, certificate } = psp.client;
  return {
    name: `${profile}:test`,
    profile,
    environment: 'production',
    baseUrl: psp.url,
    tokenUrl: psp.tokenUrl,
    pixKey: keys[0]!,
    clientId,
    clientSecret,
    certificateFile: certificate.certificate,
    privateKeyFile: certificate.key,
    caFile: psp.files.ca,
    perSecond: 0,
    ...VALUES,
  };
}
