// npm run drill -- psp [<payers> [<seed>]]: five thousand payments through a PSP that loses replies, goes silent, repeats,
// reorders, drops and forges, while the service is killed repeatedly. Then the faults end, and the service must have
// exactly the money that the PSP has, and `trilho reconcile` and `trilho ledger check` must agree. Prints a table; leaves with
// exit code 1 when anything was lost, doubled, invented, or leaked into a log.
import { setTimeout as wait } from 'node:timers/promises';
import { startPsp } from '@trilho/psp';
import { type Caller, createCallers } from '../bench/callers.ts';
import { startDatabaseServer } from '../bench/database-server.ts';
import { runTrilho, startProgram, stopAllPrograms } from '../bench/programs.ts';
import { startApp } from '../src/app.ts';
import { dismissUnmatched } from '../src/charges/unmatched/dismiss.ts';
import { readConfig } from '../src/config/config.ts';
import { civilDay } from '../src/lib/civil-days.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLog } from '../src/lib/log.ts';
import { openDatabase } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { recordingLog } from '../test/harness/log.ts';
import {
  forgeNotifications,
  type LossyService,
  leaks,
  lossesOf,
  runPayers,
  setLosses,
  watchTokens,
} from '../test/harness/lossy-psp.ts';
import { differences } from '../test/harness/order-proof.ts';
import { freePort } from '../test/harness/process.ts';
import { RAIL, railSettings, registerWebhookAt } from '../test/harness/psp.ts';
import { proveMoney } from '../test/harness/psp-proof.ts';
import { toAnswer } from '../test/harness/service.ts';
import { print, printResult, printWrong } from './print.ts';
import { killable, type Services } from './psp/services.ts';
import { createTally, type Tally } from './tally.ts';

const [PAYERS = 5_000, SEED = 19] = process.argv.slice(2).map(Number);
const AT_ONCE = 64;
const KILLS = 4;
const PAUSE_MS = 250;
const MAX_LOOKS = 40;
const LOOK_MS = 61_000;
/** Retries of a notification, since the service is down for some seconds. */
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000];

if (!Number.isSafeInteger(PAYERS) || PAYERS < 1 || !Number.isSafeInteger(SEED)) {
  process.stderr.write('usage: npm run drill -- psp [<payers> [<seed>]]\n');
  process.exit(2);
}

let movedMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + movedMs) };
const server = await startDatabaseServer({ keep: false });
const database = 'lossy_psp';
await server.create(database);
const db = openDatabase({
  connection: { connectionString: server.url(database) },
  log: createLog('warn', process.stderr),
});
const psp = await startPsp({ seed: SEED, clock, webhooks: { retryMs: RETRY_MS } });
const watched = watchTokens();
try {
  process.exitCode = await drill();
} finally {
  await stopAllPrograms();
  watched.stop();
  await psp.stop();
  await db.close();
  await server.close();
}

async function drill(): Promise<number> {
  await migrate({ db, log: createLog('warn', process.stderr) });
  const [caller] = await createCallers(server.url(database), 'live', ['acme']);
  const { certificate: certificateFile, key: privateKeyFile } = psp.files.receiver;
  const receiverPort = await freePort();
  const env = {
    DATABASE_URL: server.url(database),
    PORT: '0',
    LOG_LEVEL: 'debug',
    TRILHO_MODE: 'live',
    TRILHO_RATE_LIMIT: '0',
    TRILHO_MAX_IN_FLIGHT: '0',
    TRILHO_RAILS: JSON.stringify([railSettings(psp)]),
    TRILHO_RECEIVER: JSON.stringify({ port: receiverPort, certificateFile, privateKeyFile }),
  };
  const services = killable(() =>
    startProgram(server, {
      name: 'trilho',
      command: process.execPath,
      args: ['bin/trilho.js', 'serve'],
      env,
      url: /listens on (http:\S+)/,
      readyPath: '/readyz',
    }),
  );
  await services.start();
  const [row] = await db.query<{ path_token: string }>('select path_token from rails where name = $1', [RAIL]);
  const webhookUrl = `https://localhost:${receiverPort}/${row!.path_token}`;
  await registerWebhookAt(psp, webhookUrl, clock);

  setLosses(psp);
  const tally = createTally();
  const startedMs = performance.now();
  await runPayers(callersOf(services, caller!, tally), psp, {
    seed: SEED,
    count: PAYERS,
    atOnce: AT_ONCE,
    now: clock.now(),
    onDone: done => {
      if (done % Math.ceil(PAYERS / (KILLS + 1)) === 0 && done < PAYERS) void services.kill();
      if (done % 500 === 0) process.stderr.write(`${done} payers are done\n`);
    },
  });
  tally.pause();
  const loadSeconds = (performance.now() - startedMs) / 1_000;
  const { txid } = psp.state().charges[0] as { txid: string };
  const forged = await forgeNotifications(psp, webhookUrl, txid);
  const losses = lossesOf(psp);
  const notifications = psp.notifications();
  psp.clearFaults();
  await psp.deliverNow();
  const lines = await services.stop();

  const looks = await lookUntilQuiet(env, lines);
  const seconds = (performance.now() - startedMs) / 1_000;
  const proof = await proveMoney(text => db.query(text), psp);
  const ledger = await differences(db);
  const commands = await runCommands(env);
  lines.push(...commands.flatMap(command => command.lines));
  const secrets = [...watched.tokens, row!.path_token, caller!.headers['Authorization']!.replace('Bearer ', '')];
  const leaked = leaks(lines, psp, secrets);
  const forgedInside = notifications.filter(({ isForged }) => isForged).length + 1;
  const inflicted = Object.values(losses).reduce((sum, times) => sum + times, 0);
  const faultsInjected = inflicted + services.kills() + forged.length + forgedInside;
  const { lost, doubled } = proof;
  const { acknowledged, longestGapMs } = tally;
  printResult({ faultsInjected, acknowledged: acknowledged(), lost, doubled, longestGapMs: longestGapMs() });
  for (const [kind, times] of Object.entries(losses)) print(kind, times);
  print('notifications sent', notifications.length);
  print('forged with the certificate', forgedInside);
  print('forged without it, refused', forged.filter(status => status === 403).length);
  print('kills of the service', services.kills());
  print('payers', PAYERS);
  print('payments at the PSP', proof.payments);
  print('credited', proof.credited);
  print('refunds', proof.refunds);
  print('returns', proof.returns);
  print('invented', proof.invented.length);
  print('other differences', proof.differing.length);
  print('ledger differences', ledger.length);
  for (const { name, code, lines: said } of commands) print(`${name}: ${said.at(-1)}`, `exit ${code}`);
  print('log lines', lines.length);
  print('with personal data or secrets', leaked.length);
  print('looks until quiet', looks);
  print('seconds', seconds.toFixed(1));
  print('payments a second under faults', (proof.payments / loadSeconds).toFixed(1));
  const failed = commands.flatMap(({ code, lines: said }) => (code === 0 ? [] : said));
  const wrong = [...lost, ...doubled, ...proof.invented, ...proof.differing, ...ledger, ...failed, ...leaked];
  printWrong(wrong);
  return wrong.length === 0 && proof.credited === proof.payments ? 0 : 1;
}

/** A gap is time in which a write waits, with or without retries; payers that wait for the PSP are not a gap. */
function callersOf(services: Services, { headers: own }: Caller, tally: Tally): LossyService {
  const waiting = new Set<string>();
  const send = async (path: string, init: RequestInit) => toAnswer(await fetch((await services.url()) + path, init));
  return {
    get: path => send(path, { headers: own }),
    post: async (path, content, headers = {}) => {
      const body = JSON.stringify(content);
      if (waiting.size === 0) tally.resume();
      waiting.add(path + body);
      const all = { ...own, 'content-type': 'application/json', ...headers };
      const answer = await send(path, { method: 'POST', body, headers: all });
      if (answer.status === 201) {
        tally.note();
        waiting.delete(path + body);
        if (waiting.size === 0) tally.pause();
      }
      return answer;
    },
    pause: () => wait(PAUSE_MS),
  };
}

/** A last service with a fast clock: it looks until it has everything that the PSP has, and once more. */
async function lookUntilQuiet(env: Readonly<Record<string, string>>, lines: string[]): Promise<number> {
  const { log, lines: last } = recordingLog();
  const app = await startApp(readConfig(env), log, { work: false, clock });
  let looks = 0;
  try {
    for (let isQuiet = false; looks < MAX_LOOKS; looks++) {
      movedMs += LOOK_MS;
      await app.runDueJobs();
      const { lost, differing } = await proveMoney(text => db.query(text), psp);
      if (isQuiet) break;
      isQuiet = lost.length + differing.length === 0;
    }
  } finally {
    await app.stop();
    lines.push(...last);
  }
  return looks;
}

type CommandResult = { readonly name: string; readonly code: number; readonly lines: readonly string[] };

/** What an operator runs at the end. Money without a charge waits for a person, so it is dismissed first. */
async function runCommands(env: Readonly<Record<string, string>>): Promise<CommandResult[]> {
  const strays = await db.query<{ reference: string }>(
    'select reference from unmatched_receipts where decided_at is null',
  );
  for (const { reference } of strays) await dismissUnmatched({ db, clock }, reference);
  const { pix } = psp.state() as { pix: readonly { horario: string }[] };
  const days = new Set(pix.map(({ horario }) => civilDay(new Date(horario))));
  const results: CommandResult[] = [];
  for (const args of [...[...days].map(day => ['reconcile', '--day', day]), ['ledger', 'check']]) {
    results.push({ name: args.join(' '), ...(await runTrilho(args, env)) });
  }
  return results;
}
