// A charge's whole way with workers on: created, paid, and the event of its payment delivered to a receiver.
import { type Caller, createCallers } from '../callers.ts';
import { chargeRequests } from '../charge-requests.ts';
import { withClient } from '../database-server.ts';
import { formatMs, formatRate, percentileOf } from '../figures.ts';
import { createMigrated } from '../orders.ts';
import { createWebhook, type Receiver, runPayers, startReceiver, type WayTimes } from '../payers.ts';
import { startProcessorMeter } from '../processor-time.ts';
import type { RunningProgram } from '../programs.ts';
import type { Row } from '../report.ts';
import { startTrilho } from '../trilho.ts';
import { waitForWorkers } from '../wait-for-workers.ts';
import type { PartDeps } from './part.ts';

const DATABASE = 'way';
const MIN_RATE = 500;
const MAX_P99_MS = 1_000;
const WARM_UP_SECONDS = 5;

/**
 * The goal is for one account with one webhook, to which the service sends only a few events at a time. Its payers pay at once: the
 * first answer contains the code. Payers of the last run wait until the charge is registered and the event of that delivered.
 */
const RUNS = [
  { payers: 16, accounts: 1, waitsForActive: false, isGoal: false },
  { payers: 128, accounts: 1, waitsForActive: false, isGoal: true },
  { payers: 128, accounts: 8, waitsForActive: false, isGoal: false },
  { payers: 128, accounts: 8, waitsForActive: true, isGoal: false },
] as const;
type Run = (typeof RUNS)[number];

export async function measureWay(deps: PartDeps): Promise<void> {
  const { server, options } = deps;
  const { mode } = options;
  await createMigrated(server, DATABASE);
  const url = server.url(DATABASE);
  const callers = await createCallers(url, mode);
  const receiver = await startReceiver();
  try {
    const service = await startTrilho(server, DATABASE, { mode, allowsLocal: true });
    try {
      for (const caller of callers) await createWebhook(service.url, caller, receiver);
      await measureRuns(deps, service, callers, receiver);
    } finally {
      await service.stop();
    }
  } finally {
    receiver.stop();
  }
  await server.drop(DATABASE);
}

async function measureRuns(
  { server, report, options }: PartDeps,
  service: RunningProgram,
  callers: readonly Caller[],
  receiver: Receiver,
): Promise<void> {
  const { mode, waySeconds } = options;
  for (const [index, run] of RUNS.entries()) {
    const charges = chargeRequests(mode, callers.slice(0, run.accounts));
    const load = { url: service.url, mode, charges, receiver, payers: run.payers, waitsForActive: run.waitsForActive };
    if (index === 0) await runPayers({ ...load, seconds: Math.min(WARM_UP_SECONDS, waySeconds) });
    await waitForWorkers(server.url(DATABASE));
    // As the server does by itself within a minute: plans for empty tables are replaced.
    await withClient(server.url(DATABASE), client => client.query('analyze'));
    await server.checkpoint();
    const before = receiver.count();
    const meter = startProcessorMeter(service.pid, server.postmasterPid());
    const times = await runPayers({ ...load, seconds: waySeconds });
    const deliveries = (receiver.count() - before) / times.whole.length;
    report.add(toRow(run, times));
    report.note(
      `way, ${nameOf(run)}: ${deliveries.toFixed(1)} deliveries per charge; ${meter.perRequest(times.whole.length)}.`,
    );
  }
}

function nameOf({ payers, accounts, waitsForActive }: Run): string {
  const webhooks = accounts === 1 ? '1 webhook' : `${accounts} webhooks`;
  return `created, ${waitsForActive ? 'registered, ' : ''}paid, event delivered; ${payers} payers, ${webhooks}`;
}

function toRow(run: Run, times: WayTimes): Row {
  const { waitsForActive, isGoal } = run;
  const { rate, whole, creating, registering, paying, delivering } = times;
  const p50 = (values: readonly number[]) => formatMs(percentileOf(values, 0.5));
  const p99 = percentileOf(whole, 0.99);
  const isMet = rate >= MIN_RATE && p99 < MAX_P99_MS;
  return {
    part: 'way',
    measured: nameOf(run),
    result: `${formatRate(rate)}, p50 ${p50(whole)}, p99 ${formatMs(p99)}`,
    comparedWith: `p50 of the steps: create ${p50(creating)}${waitsForActive ? `, register ${p50(registering)}` : ''}, pay ${p50(paying)}, deliver ${p50(delivering)}`,
    ...(isGoal && { goal: { text: `≥ ${MIN_RATE}/s, p99 < ${MAX_P99_MS / 1000} s`, isMet } }),
  };
}
