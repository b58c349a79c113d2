// Boletos by file: how fast files to a bank are made, and its returns read and booked, and whether memory stays flat. The bank is
// simulated.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { civilDay } from '../../src/lib/civil-days.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { openBank } from '../../src/sandbox/cnab-bank/bank.ts';
import { createCallers } from '../callers.ts';
import { withClient } from '../database-server.ts';
import { formatCount, formatMegabytes, formatRate, formatRatio, formatSeconds } from '../figures.ts';
import type { FileWork, FileWorkDone } from '../file-worker.ts';
import { createMigrated } from '../orders.ts';
import { ROOT } from '../programs.ts';
import type { PartDeps } from './part.ts';

const DATABASE = 'cnab';
const ACCOUNT = 'shop-0';
const TITLES_GOAL = 5_000;
const LINES_GOAL = 2_000;
const MAX_GROWTH = 1.5;
/** T and U. */
const LINES_AN_ENTRY = 2;

const AGREEMENT: AgreementEntry = {
  ...{ name: 'bench', bank: '756', holderName: 'Padaria São João Ltda', holderDocument: '11222333000181' },
  ...{ agency: '4327', agencyDigit: '3', accountNumber: '3666', accountDigit: '8' },
  ...{ carteira: '1', modality: '01', beneficiaryCode: '42971' },
};

export async function measureCnab({ server, report, options }: PartDeps): Promise<void> {
  await createMigrated(server, DATABASE);
  await createCallers(server.url(DATABASE), 'live', [ACCOUNT]);
  const folder = path.join(server.dir, 'cnab-files');
  mkdirSync(folder);
  const common = {
    ...{ databaseUrl: server.url(DATABASE), postmasterPid: server.postmasterPid() },
    ...{ agreement: AGREEMENT, accountId: ACCOUNT },
  };
  const titles = options.boletos;
  report.progress(`making ${formatCount(titles)} boletos`);
  await runStep({ ...common, step: 'make', count: titles });
  // As autovacuum leaves them. Empty tables are skipped: statistics of an empty table lead to bad plans once it is filled.
  await withClient(server.url(DATABASE), client =>
    client.query('vacuum (analyze) charges, charge_methods, charge_timers, boleto_instructions, events'),
  );

  const written = await runStep({ ...common, step: 'write', folder });
  report.add({
    part: 'cnab',
    measured: `${formatCount(written.count)} titles into ${readdirSync(folder).length} files, saved and in a folder`,
    result: `${formatRate(rateOf(written))}, ${formatSeconds(written.ms)}; ${written.processor}`,
    goal: { text: `≥ ${TITLES_GOAL}/s`, isMet: rateOf(written) >= TITLES_GOAL },
  });
  addMemory('making files', written);

  const bank = openBank(AGREEMENT);
  const today = civilDay(new Date());
  for (const name of readdirSync(folder).sort()) bank.take(readFileSync(path.join(folder, name)), today);
  await readNews('registered');
  for (const [index, { number, amountCents }] of Object.values(bank.state().titles).entries()) {
    if (index % LINES_AN_ENTRY === 0) bank.pay(number, { day: today, amountCents, creditDay: today, feeCents: 190n });
  }
  await readNews('paid');
  rmSync(folder, { recursive: true });
  await server.drop(DATABASE);

  async function readNews(what: string): Promise<void> {
    const file = path.join(folder, `${what}.ret`);
    writeFileSync(file, bank.makeReturn({ day: today, time: '180000' }));
    const read = await runStep({ ...common, step: 'read', file });
    const lines = rateOf(read) * LINES_AN_ENTRY;
    report.add({
      part: 'cnab',
      measured: `a return of ${formatCount(read.count)} ${what}, ${formatCount(read.count * LINES_AN_ENTRY)} lines, read and booked`,
      result: `${formatRate(lines).replace('/s', ' lines/s')}, ${formatRate(rateOf(read)).replace('/s', ' titles/s')}, ${formatSeconds(read.ms)}; ${read.processor}`,
      goal: { text: `≥ ${LINES_GOAL} lines/s`, isMet: lines >= LINES_GOAL },
    });
    addMemory(`reading ${what}`, read);
  }

  function addMemory(what: string, { earlyBytes, mostBytes }: FileWorkDone): void {
    report.add({
      part: 'cnab',
      measured: `resident memory ${what}, at most`,
      result: formatMegabytes(mostBytes),
      comparedWith: `${formatMegabytes(earlyBytes)} in the first quarter`,
      ratio: formatRatio(mostBytes / earlyBytes),
      goal: { text: `≤ ${MAX_GROWTH} ×`, isMet: mostBytes / earlyBytes <= MAX_GROWTH },
    });
  }
}

const rateOf = ({ count, ms }: FileWorkDone) => (count / ms) * 1_000;

function runStep(work: FileWork): Promise<FileWorkDone> {
  const child = spawn(process.execPath, ['bench/file-worker.ts', JSON.stringify(work)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', chunk => {
    said += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('close', code => {
      if (code === 0) resolve(JSON.parse(said));
      else reject(new Error(`${work.step} left with ${code}`));
    });
  });
}
