// Health: the database, the queues, the loops of this node, rails, networks, senders, certificates, the mail
// server, and waiting deliveries.
import type { FastifyInstance } from 'fastify';
import { mayUse } from '../../api/access.ts';
import type { Chains } from '../../chains/chain.ts';
import { readRails } from '../../charges/store/rails.ts';
import { readDeliveryLag } from '../../events/store-lag.ts';
import type { Certificates } from '../../http/certificates.ts';
import type { Queue } from '../../jobs/queue.ts';
import { type Heartbeats, hasStopped } from '../../lib/heartbeats.ts';
import { readHalts } from '../../payouts/store/senders.ts';
import type { Database } from '../../storage/database.ts';
import type { DatabaseClock } from '../../storage/database-clock.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { count, when } from './formats.ts';
import { mailFaultTable } from './mail-needs.ts';
import { wholeAddress } from './on-chain.ts';
import type { NetworkFaults } from './outside-needs.ts';
import { badge, facts, table } from './parts.ts';
import { shell } from './shell.ts';

export type HealthPageDeps = ListDeps & {
  readonly db: Database;
  readonly chains: Chains;
  readonly networkFaults: NetworkFaults;
  readonly certificates: Certificates;
  readonly queue: Queue;
  readonly heartbeats: Heartbeats;
  readonly databaseClock: Pick<DatabaseClock, 'offsetMs'>;
  readonly version: string;
};

const MAX_COUNTED = 10_000;

export function healthPage(app: FastifyInstance, deps: HealthPageDeps): void {
  app.get('/dashboard/health', { schema: { hide: true } }, async (request, reply) => {
    const began = performance.now();
    const [rails, senders, lag, queues, mail] = await Promise.all([
      readRails(deps.db),
      readHalts(deps.db),
      readDeliveryLag(deps.db, deps.clock.now(), MAX_COUNTED),
      deps.queue.depths(),
      mailFaultTable(deps.db),
    ]);
    const tookMs = Math.round(performance.now() - began);
    const faults = Map.groupBy(await deps.networkFaults(), ({ network }) => network);
    const certificates = deps.certificates();
    const stopped = deps.heartbeats.list().filter(hasStopped);
    const page = shell(deps, request, {
      title: 'Health',
      section: 'health',
      version: await deps.versionOf(),
      body: html`<div data-live="health"><section class="card"><h2>This node</h2>${facts([
        ['Version', html`<code>${deps.version}</code>`],
        ['Mode', deps.mode],
        ['Database', html`${badge('ok')} ${count(tookMs)} ms for this page`],
        ['Clock', `${count(Math.round(deps.databaseClock.offsetMs()))} ms off the database's`],
        [
          'Loops',
          stopped.length === 0 ? badge('ok') : html`${badge('failed')} ${stopped.map(({ name }) => name).join(', ')}`,
        ],
        ['Waiting deliveries', count(lag.pending)],
      ])}</section>
<section class="card"><h2>Rails</h2>${table({
        caption: 'Rails',
        head: ['Rail', 'Method', 'Standing', 'Seen until', 'Compared'],
        rows: rails.map(({ name, method, silentSince, seenUntil, compared }) => [
          name,
          method,
          silentSince ? html`${badge('failing')} since ${when(silentSince)}` : badge('ok'),
          when(seenUntil),
          compared ? html`${when(compared.at)}, ${count(compared.differences)} differences` : '–',
        ]),
        empty: 'No rail is watched here.',
      })}</section>
${
  mayUse(request.caller, 'GET /chains') &&
  html`<section class="card"><h2>Networks</h2>${table({
    caption: 'Networks',
    head: ['Network', 'Nodes'],
    rows: Object.values(deps.chains).map(({ network }) => {
      const messages = faults.get(network)?.map(fault => fault.message);
      return [network, messages ? html`${badge('failing')} ${messages.join(' ')}` : badge('ok')];
    }),
    empty: 'No network is configured.',
  })}</section>`
}
${certificates.length > 0 && html`<section class="card"><h2>Certificates</h2>${table({ caption: 'Certificates', head: ['Of', 'Ends'], rows: certificates.map(({ name, end }) => [name, when(end)]) })}</section>`}
${mail && html`<section class="card attention"><h2>Mail server</h2>${mail}</section>`}
${senders.length > 0 && html`<section class="card attention"><h2>Halted senders</h2>${table({ caption: 'Halted senders', head: ['Network', 'Sender', 'Since'], rows: senders.map(({ network, sender, haltedAt }) => [network, wholeAddress(deps, network, sender), when(haltedAt)]) })}</section>`}
<section class="card"><h2>Jobs</h2>${table({
        caption: 'Jobs',
        head: ['Queue', '#Ready', '#Later', '#Running', '#Failed', '#Oldest waits'],
        rows: queues.map(({ name, ready, deferred, active, failed, oldestReadySeconds }) => [
          name,
          count(ready),
          count(deferred),
          count(active),
          count(failed),
          `${count(Math.round(oldestReadySeconds))} s`,
        ]),
        empty: 'No job has run yet.',
      })}</section></div>`,
    });
    return sendHtml(request, reply, page);
  });
}
