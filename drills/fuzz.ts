// npm run drill -- fuzz [--cases <n>] [--seed <n>] [--minutes <n>] [--from <n>] [--at-once <n>]: random requests from the OpenAPI document,
// and of pages and their forms, against a sandbox in its own process. Every one must be answered as the document says, or with a page, and without a 5xx except by
// a chain that a case has silenced. Prints a table; exits with code 1 when one was not, or when there was no time for all of them, unless `--minutes`
// limits the time. `--seed` and `--from` repeat the same cases, except for ids.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { startDatabaseServer } from '../bench/database-server.ts';
import { stopAllPrograms } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import { EVM_NETWORKS } from '../src/chains/evm/networks/list.ts';
import { type Exchange, judgeOf } from '../test/harness/openapi.ts';
import { keepFailures } from './fuzz/failures.ts';
import { keepFound } from './fuzz/found.ts';
import { caseMaker, operationsOf } from './fuzz/make-case.ts';
import { faultOfPage, findPages, pageCase } from './fuzz/pages.ts';
import { BOLETOS, prepare } from './fuzz/prepare.ts';
import { openSender } from './fuzz/send.ts';
import { followSilenced } from './fuzz/silenced.ts';
import { deleteWebhooks } from './fuzz/webhooks.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '23' },
    minutes: { type: 'string' },
    from: { type: 'string', default: '0' },
    'at-once': { type: 'string', default: '32' },
  },
});
const { cases, seed, minutes = '60', from, 'at-once': atOnce } = values;
const [CASES = 0, SEED = 0, MINUTES = 0, FROM = 0, AT_ONCE = 0] = [cases, seed, minutes, from, atOnce].map(Number);
if (![CASES, SEED, MINUTES, FROM, AT_ONCE].every(Number.isSafeInteger) || CASES < 1 || AT_ONCE < 1) {
  process.stderr.write(
    'usage: npm run drill -- fuzz [--cases <n>] [--seed <n>] [--minutes <n>] [--from <n>] [--at-once <n>]\n',
  );
  process.exit(2);
}

const MAX_FAILURES = 20;
const SHOWN_LENGTH = 600;
/** With these settings a sweep is possible. */
const COLD = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const PAYOUTS = {
  coldAddresses: {
    ...Object.fromEntries(EVM_NETWORKS.map(({ id: network }) => [network, COLD])),
    tron: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
  },
};
/** A too long path or header is refused before its operation is known. */
const HEADERS_TOO_LARGE = 431;
/** Operations without random cases, and why. */
const UNREACHED = new Map([
  ['POST /wallets/{id}/proof', 'needs a signature with the key of the wallet'],
  ['POST /charges/{id}/checkout/withdraw', 'needs the link of the very charge'],
  ['POST /crypto/transactions/{id}/settle', 'needs the hash of a transfer of the very order'],
]);
const SAY_EVERY_MS = 30_000;
const DELETE_WEBHOOKS_EVERY = 2_000;
/** The others are of the document. */
const PAGE_EVERY = 10;

const server = await startDatabaseServer({ keep: false });
const receiver = createServer((incoming, answer) => incoming.resume().on('end', () => answer.end())).listen(
  0,
  '127.0.0.1',
);
const interrupted = new Promise<number>(resolve => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(130));
});
try {
  process.exitCode = await Promise.race([fuzz(), interrupted]);
} finally {
  receiver.close().closeAllConnections();
  await stopAllPrograms();
  await server.close();
}
// Pending work of an interrupted run must not keep the process alive.
process.exit();

async function fuzz(): Promise<number> {
  await server.create('fuzz');
  const env = {
    TRILHO_RATE_LIMIT: '0',
    TRILHO_MAX_IN_FLIGHT: '0',
    // Deliveries to random webhooks are more work than the cases themselves.
    TRILHO_WEBHOOK_CONCURRENCY: '1',
    TRILHO_PAYOUTS: JSON.stringify(PAYOUTS),
    TRILHO_BOLETOS: BOLETOS,
  };
  const service = await startTrilho(server, 'fuzz', { mode: 'sandbox', env });
  const { url } = service;
  const judge = judgeOf(await (await fetch(`${url}/openapi.json`)).text());
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const prepared = await prepare(url, receiverUrl);
  const makeCase = caseMaker(judge.document, SEED, receiverUrl, prepared);
  const pages = await findPages(url);
  const sender = openSender(url, AT_ONCE);
  const known = new Map<string, string[]>();
  /** The statuses of each operation, with how often they came. */
  const seen = new Map<string, Map<number, number>>();
  /** The last reason for which a valid case of an operation was refused. */
  const refusals = new Map<string, string>();
  const failures = keepFailures(SEED);
  const silenced = followSilenced();
  const startedMs = performance.now();
  const deadlineMs = startedMs + MINUTES * 60_000;
  let next = FROM;
  let done = 0;
  const rate = () => Math.round((done * 1_000) / (performance.now() - startedMs));
  const said = setInterval(() => print(`${done} cases, ${rate()}/s, ${failures.count()} failures`), SAY_EVERY_MS);

  async function tryOne(index: number): Promise<void> {
    if (index % DELETE_WEBHOOKS_EVERY === 0) await deleteWebhooks(url, prepared.get('webhooks') ?? [], known);
    const isPage = index % PAGE_EVERY === 0;
    const sent = isPage ? pageCase(pages, SEED, index) : makeCase(index, known);
    const sentMs = performance.now();
    const end = silenced.follow(sent);
    const reply = await sender.send(sent).catch((error: Error) => error);
    end(reply);
    done++;
    const fault = reply instanceof Error ? `no answer: ${reply.message}` : faultOf(reply, sentMs, isPage);
    if (fault !== undefined) failures.add({ index, url, sent, reply, fault });
    if (reply instanceof Error) return;
    const ofOperation = seen.get(sent.operation) ?? new Map<number, number>();
    seen.set(sent.operation, ofOperation.set(reply.status, (ofOperation.get(reply.status) ?? 0) + 1));
    if (reply.status >= 300) {
      if (sent.isGood) refusals.set(sent.operation, reply.text.slice(0, SHOWN_LENGTH));
      return;
    }
    if (!isPage) keepFound(known, sent.operation, reply.json);
  }

  function faultOf(reply: Exchange, sentMs: number, isPage: boolean): string | undefined {
    // A case may silence a simulated node; then a refusal is documented.
    if (reply.status >= 500 && !silenced.explains(reply, sentMs)) return `status ${reply.status}`;
    if (isPage) return faultOfPage(reply);
    return reply.status === HEADERS_TOO_LARGE ? undefined : judge.faultOfAnswer(reply);
  }

  const worker = async () => {
    while (next < FROM + CASES && performance.now() < deadlineMs && failures.count() < MAX_FAILURES)
      await tryOne(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  clearInterval(said);
  sender.close();
  for (const message of failures.messages) print(`\n${message}`);
  if (failures.count() > 0)
    print(`\nof the service's log:\n${errorsIn(service.output())}\n\nwhole in ${failures.file}`);
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  print(`\nseed ${SEED}, ${done} cases in ${seconds} s, ${rate()}/s: ${countsOf([...seen.values()])}`);
  const names = operationsOf(judge.document).map(({ method, template }) => `${method.toUpperCase()} ${template}`);
  const never = names.filter(name => ![...(seen.get(name)?.keys() ?? [])].some(status => status < 300));
  print(`${names.length - never.length} of ${names.length} operations answered 2xx at least once`);
  for (const name of never) {
    print(
      `never 2xx: ${name}: ${countsOf([seen.get(name) ?? new Map()])}; ${UNREACHED.get(name) ?? refusals.get(name)}`,
    );
  }
  print(`${failures.count()} failures`);
  const isShort = done < CASES;
  const isAsked = values.minutes !== undefined && done >= AT_ONCE;
  if (isShort) print(`${done} of ${CASES} cases in ${MINUTES} minutes${isAsked ? ', which were asked for' : ''}`);
  return failures.count() > 0 || (isShort && !isAsked) ? 1 : 0;
}

/** 12 × 200, 3 × 404 */
function countsOf(counted: readonly ReadonlyMap<number, number>[]): string {
  const sums = new Map<number, number>();
  for (const counts of counted) {
    for (const [status, count] of counts) sums.set(status, (sums.get(status) ?? 0) + count);
  }
  const counts = [...sums].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  return counts.join(', ');
}

/** The last lines of the log that are errors. */
function errorsIn(output: string): string {
  return output.split('\n').filter(isError).slice(-MAX_FAILURES).join('\n');
}

function isError(line: string): boolean {
  return /"level":"(error|fatal)"|"level":[56]0|^\s+at |Error:/.test(line);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
