// What needs a person about banks and networks: rails and chains that are down, certificates that expire soon, alarms such as low
// funds, pauses.
import type { FastifyRequest } from 'fastify';
import { mayUse } from '../../api/access.ts';
import type { Chain, Chains } from '../../chains/chain.ts';
import { readRails } from '../../charges/store/rails.ts';
import type { Certificates } from '../../http/certificates.ts';
import { DAY_MS } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { pausedScope } from '../../payouts/policy/pause.ts';
import { readOpenAlarms } from '../../payouts/store/alarms.ts';
import { readPauses } from '../../payouts/store/pauses.ts';
import { readHalts } from '../../payouts/store/senders.ts';
import type { AlarmReason } from '../../payouts/watch/alarm.ts';
import { html, type Piece } from '../html.ts';
import type { ListDeps } from './charges.ts';
import { count, when } from './formats.ts';
import { kept } from './kept.ts';
import { type Need, need } from './need.ts';
import { wholeAddress } from './on-chain.ts';
import { badge, table } from './parts.ts';
import { may } from './shell.ts';

type NetworkFault = { readonly network: string; readonly message: string };
export type NetworkFaults = () => Promise<readonly NetworkFault[]>;

export type OutsideNeedDeps = ListDeps & { readonly certificates: Certificates; readonly networkFaults: NetworkFaults };

/** Nodes are asked no more often, however many tabs are open. */
const NODES_KEPT_MS = 15_000;
/** How long a page waits for a node. */
const NODE_LIMIT_MS = 2_000;
/** A bank takes days to issue a new certificate. */
const CERTIFICATE_WARNING_MS = 30 * DAY_MS;

/** Networks and nodes that do not answer. */
export function keptNetworkFaults(chains: Chains, machineClock: Clock): NetworkFaults {
  const read = kept(machineClock, NODES_KEPT_MS, async () =>
    (await Promise.all(Object.values(chains).map(faultsOf))).flat(),
  );
  return () => read('');
}

async function faultsOf(chain: Chain): Promise<NetworkFault[]> {
  const { network } = chain;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), NODE_LIMIT_MS);
  const health = await Promise.race([chain.health().catch(() => undefined), late]);
  clearTimeout(timer);
  if (!health || health.head === undefined) return [{ network, message: 'No node answers.' }];
  return health.providers
    .filter(({ isAnswering }) => !isAnswering)
    .map(({ name }) => ({ network, message: `${name} does not answer; the others do.` }));
}

export async function silentRails(deps: OutsideNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'metrics:read')) return undefined;
  const rails = (await readRails(deps.db)).filter(
    ({ silentSince, compared }) => silentSince || (compared?.differences ?? 0) > 0,
  );
  const rows = rails.map(({ name, method, silentSince, compared }) => [
    name,
    method,
    silentSince
      ? html`${badge('down')} does not answer since ${when(silentSince)}`
      : `${count(compared?.differences ?? 0)} differences to the bank's record`,
  ]);
  return need(
    'Rails',
    rails.length,
    '/dashboard/health',
    table({ caption: 'Rails that need a look', head: ['Rail', 'Method', 'What'], rows }),
  );
}

const RENEWALS = {
  rail: 'Get a new one from the bank and put it into the file; it is read without a restart.',
  receiver: 'Get a new one from its authority and put it into the file; it is read within a minute.',
};

export async function endingCertificates(deps: OutsideNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'metrics:read')) return undefined;
  const nowMs = deps.clock.now().getTime();
  const ending = deps.certificates().filter(({ end }) => end.getTime() - nowMs < CERTIFICATE_WARNING_MS);
  const rows = ending.map(({ name, kind, end }) => [
    name,
    html`${badge(end.getTime() < nowMs ? 'ended' : 'ends soon')} ${when(end)}`,
    RENEWALS[kind],
  ]);
  return need(
    'Certificates',
    ending.length,
    '/dashboard/health',
    table({ caption: 'Certificates near their end', head: ['Of', 'Ends', 'Way out'], rows }),
  );
}

export async function silentNetworks(deps: OutsideNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!mayUse(caller, 'GET /chains')) return undefined;
  const faults = await deps.networkFaults();
  const rows = faults.map(({ network, message }) => [network, message]);
  return need(
    'Networks',
    faults.length,
    '/dashboard/health',
    table({ caption: 'Networks that need a look', head: ['Network', 'What'], rows }),
  );
}

const ALARM_WAYS: Readonly<Record<AlarmReason, Piece>> = {
  low_funds: 'Send more to the sender.',
  above_ceiling: html`<a href="/dashboard/payouts/sweep">Sweep to the cold address</a>`,
  network_silent: 'Check its nodes, and chains in the settings; orders continue when a node answers.',
  orders_waiting: html`<a href="/dashboard/health">See the state of networks and services</a>`,
  payout_stuck: html`<a href="/dashboard/payouts?state=open">See open payouts</a>`,
  payout_contradicted: html`<a href="/dashboard/payouts?state=done">Compare the payout with an explorer</a>`,
  finality_lag: 'Check the network; nothing is sent twice meanwhile.',
  fee_too_high: 'Nothing to do: orders continue when the fee has fallen.',
  slot_unsigned: html`<a href="/dashboard/payouts?state=open">See open payouts</a>`,
  slot_taken:
    'Find out whether the database is older than the network or who else has the key, then resume the sender.',
  nonce_gap: html`<a href="/dashboard/payouts/senders/fill-gap">Fill the gap</a>`,
};

export async function openAlarms(deps: OutsideNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!mayUse(caller, 'GET /payouts/alarms')) return undefined;
  const alarms = await readOpenAlarms(deps.db);
  const rows = alarms.map(({ reason, network, words, raisedAt }) => [
    network,
    badge(reason),
    words,
    when(raisedAt),
    ALARM_WAYS[reason],
  ]);
  return need(
    'Alarms of payouts',
    alarms.length,
    '/dashboard/payouts',
    table({ caption: 'Alarms of payouts', head: ['Network', 'Alarm', 'What', 'Since', 'Way out'], rows }),
  );
}

export async function openPauses(deps: OutsideNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!mayUse(caller, 'GET /payouts/pauses')) return undefined;
  const pauses = await readPauses(deps.db);
  const rows = pauses.map(pause => [
    `${pausedScope(pause)} are paused.`,
    pause.reason ?? '–',
    when(pause.pausedAt),
    may(caller, 'payouts:write') && html`<a class="button secondary small" href="${resumeAddress(pause)}">Resume</a>`,
  ]);
  return need(
    'Paused payouts',
    pauses.length,
    '/dashboard/payouts',
    table({ caption: 'Paused payouts', head: ['What', 'Why', 'Since', ''], rows }),
  );
}

export async function haltedSenders(deps: OutsideNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!mayUse(caller, 'GET /payouts/senders/halted')) return undefined;
  const senders = await readHalts(deps.db);
  const rows = senders.map(({ network, sender, haltedAt, words }) => [
    network,
    wholeAddress(deps, network, sender),
    words ?? '–',
    when(haltedAt),
    may(caller, 'payouts:write') &&
      html`<a class="button secondary small" href="/dashboard/payouts/senders/resume?${new URLSearchParams({ network, sender }).toString()}">Resume</a>`,
  ]);
  return need(
    'Halted senders',
    senders.length,
    '/dashboard/payouts',
    table({ caption: 'Senders that take no slots', head: ['Network', 'Sender', 'Why', 'Since', ''], rows }),
  );
}

function resumeAddress({ network, symbol }: { readonly network?: string; readonly symbol?: string }): string {
  const scope = new URLSearchParams({ ...(network && { network }), ...(symbol && { symbol }) }).toString();
  return `/dashboard/payouts/resume${scope === '' ? '' : `?${scope}`}`;
}
