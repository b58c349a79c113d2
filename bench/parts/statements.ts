// SQL statements that the service sends for a charge, a payment and a delivery, and without any request. No goals: it shows
// where to look. Writes the texts, with the time the service waited for each, to bench/results.statements.md.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../callers.ts';
import { chargeRequests } from '../charge-requests.ts';
import { openConnection, runLoad } from '../http-load.ts';
import { createMigrated } from '../orders.ts';
import { createCharge, createWebhook, type OpenCharge, payCharge, runPayers, startReceiver } from '../payers.ts';
import type { RunningProgram } from '../programs.ts';
import { countUnits, describeCounts, recordLoad, type Unit } from '../recording.ts';
import { waitForWorkers } from '../wait-for-workers.ts';
import type { PartDeps } from './part.ts';

const DATABASE = 'statements';
const SINGLE_REQUESTS = 50;
const LOAD_LIMIT_SECONDS = 60;
const IDLE_SECONDS = 10;
const WAY_SECONDS = 3;
const MAX_TEXT = 140;

type Scenario = {
  readonly name: string;
  /** What the counts are divided by. */
  readonly per: string;
  run(service: RunningProgram): Promise<number>;
};

export async function measureStatements({ server, report, options }: PartDeps): Promise<void> {
  const { mode, chargeConnections: connections } = options;
  await createMigrated(server, DATABASE);
  const callers = await createCallers(server.url(DATABASE), mode);
  const charges = chargeRequests(mode, callers);
  const receiver = await startReceiver();
  const open: OpenCharge[] = [];
  const scenarios: Scenario[] = [
    {
      name: 'POST /charges, one at a time',
      per: 'charge',
      run: async ({ url }) => {
        const connection = await openConnection(url);
        while (open.length < SINGLE_REQUESTS) open.push(await createCharge(connection, charges));
        connection.close();
        return open.length;
      },
    },
    {
      name: 'payments, one at a time',
      per: 'payment',
      run: async ({ url }) => {
        const connection = await openConnection(url);
        for (const charge of open) await payCharge(connection, mode, charge);
        connection.close();
        return open.length;
      },
    },
    {
      name: `POST /charges, ${connections} connections`,
      per: 'charge',
      run: async ({ url }) => {
        const load = { url, connections, request: charges.nextRequest, requests: options.charges };
        return (await runLoad({ ...load, seconds: LOAD_LIMIT_SECONDS })).count;
      },
    },
    {
      name: 'no requests',
      per: 'second',
      run: async () => {
        await wait(IDLE_SECONDS * 1000);
        return IDLE_SECONDS;
      },
    },
    {
      name: `created, paid, event delivered; ${connections} payers, ${callers.length} webhooks`,
      per: 'charge',
      run: async ({ url }) => {
        for (const caller of callers) await createWebhook(url, caller, receiver);
        const times = await runPayers({ url, mode, charges, receiver, payers: connections, seconds: WAY_SECONDS });
        return times.whole.length;
      },
    },
  ];
  try {
    const recording = await recordLoad(server, DATABASE, {
      mode,
      workers: true,
      allowsLocal: true,
      rounds: scenarios.length,
      run: (service, round) => scenarios[round]!.run(service),
      settle: () => waitForWorkers(server.url(DATABASE)),
    });
    const sections: string[] = [];
    for (const [index, { requests, during, after }] of [...recording.rounds()].entries()) {
      const { name, per } = scenarios[index]!;
      const units = [...during, ...after];
      report.add({
        part: 'statements',
        measured: `${name}, with what the workers do for it`,
        result: `per ${per} ${describeCounts(countUnits(units), requests)}`,
        comparedWith: `before the last answer: ${describeCounts(countUnits(during), requests)}`,
      });
      sections.push(`## ${name}: ${requests}`, '', ...textTable(units, requests, per), '');
    }
    writeFileSync(path.join(import.meta.dirname, '..', 'results.statements.md'), sections.join('\n'));
    report.note('statements: their texts are in bench/results.statements.md.');
  } finally {
    receiver.stop();
  }
  await server.drop(DATABASE);
}

/** The texts, those first that the service waited for longest in all. */
function textTable(units: readonly Unit[], requests: number, per: string): string[] {
  const byText = new Map<string, { count: number; ms: number }>();
  for (const { text, tookMs } of units.flat()) {
    const key = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim().slice(0, MAX_TEXT);
    const known = byText.get(key) ?? { count: 0, ms: 0 };
    byText.set(key, { count: known.count + 1, ms: known.ms + tookMs });
  }
  const sorted = [...byText].sort(([, a], [, b]) => b.ms - a.ms);
  const lines = sorted.map(
    ([text, { count, ms }]) =>
      `| ${count} | ${(count / requests).toFixed(3)} | ${(ms / count).toFixed(1)} | ${Math.round(ms)} | ${text} |`,
  );
  return [`| count | per ${per} | ms each | ms in all | statement |`, '|---|---|---|---|---|', ...lines];
}
