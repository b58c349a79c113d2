// A pix rail over any PSP that speaks the Pix API of the Central Bank, version 2.9.0.
import { StartError } from '../../lib/errors.ts';
import { type Client, createClient } from '../bank-client/client.ts';
import { type Connections, openConnections } from '../bank-client/connection.ts';
import { type Credentials, readCredentials } from '../bank-client/credentials.ts';
import type { SettingFault } from '../bank-client/settings.ts';
import type { WebhookAdmin } from '../bank-client/webhook.ts';
import type { Location, PaymentRequest, Rail } from '../rail.ts';
import { automaticAt } from './automatic/calls.ts';
import { checkRequest, kindOf, pspIdOf } from './charge-body.ts';
import { chargesAt } from './charges.ts';
import { locationsAt, takeLocation } from './locations.ts';
import type { ChargeKind } from './profile.ts';
import { PROFILES } from './profiles.ts';
import { refundsAt } from './refunds.ts';
import { type BacenDeps, type BacenSettings, type FullProfile, profileFor } from './settings.ts';
import { watchOf } from './watch.ts';
import { webhookAt } from './webhook.ts';

export const BACEN_CAN = { refund: true, withdraw: true, reduce: true };

export type BacenRail = Rail<'pix'> &
  WebhookAdmin & {
    /** The kind of charge, and so of location, that a request becomes. Pure. */
    kindOf(request: PaymentRequest): ChargeKind;
    /** Absent where the PSP has no locations to take. Throws `rail_unavailable`. */
    readonly takeLocation?: (kind: ChargeKind) => Promise<Location>;
    certificateEnd(): Date | undefined;
    /** Closes idle connections. */
    stop(): void;
  };

/** What the parts of a rail share. */
export type Opened = {
  readonly profile: FullProfile;
  readonly credentials: Credentials;
  readonly connections: Connections;
  readonly client: Client;
};

/** Reads the files of a rail and makes its client; nothing is sent. */
export function openRail(
  settings: BacenSettings,
  deps: BacenDeps,
): { readonly opened: Opened } | { readonly faults: readonly SettingFault[] } {
  const found = profileFor(settings, deps.profiles ?? PROFILES);
  if ('faults' in found) return found;
  const { profile } = found;
  const read = readCredentials(settings, profile);
  if ('faults' in read) return read;
  const connections = openConnections(settings, profile, read.credentials, deps);
  const client = createClient(settings, profile, connections, deps);
  return { opened: { profile, credentials: read.credentials, connections, client } };
}

/**
 * The rail, or every fault that must stop the start, each with its setting.
 *
 * @example
 * const loaded = loadRail(settings, { clock, log });
 * if ('faults' in loaded) throw new StartError(loaded.faults.map(({ path, message }) => `${path} ${message}.`).join('\n'));
 */
export function loadRail(
  settings: BacenSettings,
  deps: BacenDeps,
): { readonly rail: BacenRail } | { readonly faults: readonly SettingFault[] } {
  const result = openRail(settings, deps);
  return 'faults' in result ? result : { rail: railOf(settings, deps, result.opened) };
}

/** The same, but throws a StartError with every fault. */
export function bacenRail(settings: BacenSettings, deps: BacenDeps): BacenRail {
  const loaded = loadRail(settings, deps);
  if ('rail' in loaded) return loaded.rail;
  throw new StartError(
    loaded.faults.map(({ path, message }) => `The rail ${settings.name}: ${path} ${message}.`).join('\n'),
  );
}

function railOf(settings: BacenSettings, deps: BacenDeps, { profile, connections, client }: Opened): BacenRail {
  const { codeOf, submit, lookup, cancel } = chargesAt(settings, profile, client, deps);
  const { locationPool = 0 } = settings;
  const automatic = settings.automatic && automaticAt(settings.automatic, profile, client);
  const { registerWebhook, readWebhook } = webhookAt(settings, profile, client);
  return {
    name: settings.name,
    method: 'pix',
    can: BACEN_CAN,
    listName: `${profile.baseUrl} ${settings.pixKey}`,
    check: checkRequest,
    prepare: ({ id }, location) => {
      const emv = location && codeOf(location.url);
      return { reference: pspIdOf(id), ...(emv !== undefined && { instrument: { emv } }) };
    },
    submit,
    lookup,
    cancel,
    ...refundsAt(client),
    watch: watchOf(settings, profile, client, deps),
    ...(automatic && { automatic }),
    registerWebhook: async (url, options) => {
      await registerWebhook(url, options);
      await automatic?.registerWebhooks(url, options);
    },
    readWebhook,
    kindOf,
    ...(profile.hasLocations && { takeLocation: (kind: ChargeKind) => takeLocation(client, kind) }),
    certificateEnd: () => {
      const { certificate } = connections.current().credentials;
      return certificate && new Date(certificate.validTo);
    },
    ...(locationPool > 0 && { locations: locationsAt(client, locationPool, codeOf) }),
    stop: connections.stop,
  };
}
