// npm run conformance -- psp <folder with Bacen's document> [<part of a test file's path>]: goes through every endpoint of the
// simulated PSP, sends every call of the rail, and runs every test of the rail and of the service that uses a PSP, with Prism
// in between. It leaves with exit code 1 when Prism finds something that is not excused, and 2 when there is no such
// folder.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Psp, startPsp } from '@trilho/psp';
import { EXCUSES, excuseOf } from './excuses.ts';
import type { Finding } from './findings.ts';
import { PATCHES } from './patches.ts';
import { walkRail } from './rail-walk.ts';
import { startRegistry } from './registry.ts';
import { runScript, sendWrongRequest } from './run-script.ts';
import { runRailTests } from './run-tests.ts';
import { startValidator } from './validator.ts';

const [folder, only] = process.argv.slice(2);
if (folder === undefined || !existsSync(path.join(folder, 'bacen-pix-api-2.9.0.openapi.yaml'))) {
  console.error('usage: npm run conformance -- psp <folder with bacen-pix-api-2.9.0.openapi.yaml> [<test files>]');
  process.exit(2);
}

const faults: string[] = [];
const validator = await startValidator(folder);
const registry = await startRegistry(validator);
try {
  await withPsp('the script', async psp => faults.push(...(await runScript(psp))));
  // Prism's findings explain more than the step of the walk that fails because of them.
  await withPsp('the walk of the rail', psp => walkRail(psp).catch(error => faults.push(`The rail: ${error.stack}`)));
  const { files, passed, faults: ofTests } = await runRailTests(registry.url, only);
  faults.push(...ofTests);
  report(files, passed);
  // A check that cannot fail proves nothing: this request breaks the document, and Prism must say so.
  const before = validator.findings().length;
  await withPsp('a wrong request', sendWrongRequest);
  const named = validator.findings().slice(before);
  if (!named.some(({ direction }) => direction === 'request'))
    faults.push('Prism did not name a request that is wrong.');
} finally {
  await registry.close();
  await validator.stop();
}
for (const line of faults) console.log(line);
if (faults.length > 0) process.exitCode = 1;

async function withPsp(file: string, work: (psp: Psp) => Promise<unknown>): Promise<void> {
  const psp = await startPsp();
  const { profile, url, tokenUrl, files } = psp;
  const placed = await validator.before({ file, profile, url, tokenUrl, files, answers: 'simulated' });
  try {
    await work({ ...psp, url: placed.url, tokenUrl: placed.tokenUrl });
  } finally {
    await psp.stop();
    await placed.remove();
  }
}

function report(files: readonly string[], passed: number): void {
  const calls = validator.calls();
  const findings = validator.findings();
  const violations = findings.filter(finding => excuseOf(finding) === undefined);
  for (const line of new Set(violations.map(describe))) faults.push(line);
  const used = Map.groupBy(findings, excuseOf);
  const isWhole = only === undefined;
  console.log(`${PATCHES.length} patches of the document:`);
  for (const { why, times } of PATCHES) console.log(`  ${why} (${times})`);
  console.log(`${EXCUSES.length} excuses of answers:`);
  for (const excuse of EXCUSES) {
    const times = used.get(excuse)?.length ?? 0;
    console.log(`  ${excuse.why} (${times})`);
    if (times === 0 && isWhole) faults.push(`This excuse fits nothing any more: ${excuse.why}`);
  }
  console.log('calls  unanswered  excused  violations');
  const places = new Set([...calls.map(({ file }) => file), ...files]);
  for (const file of places) {
    const of = <T extends { readonly file: string }>(all: readonly T[]) => all.filter(one => one.file === file);
    const [own, found, wrong] = [of(calls), of(findings), of(violations)];
    if (own.length === 0) faults.push(`No call of ${file} went through Prism.`);
    const silent = own.filter(({ status }) => status === 0).length;
    console.log(row([own.length, silent, found.length - wrong.length, wrong.length], file));
  }
  const silent = calls.filter(({ status }) => status === 0).length;
  console.log(row([calls.length, silent, findings.length - violations.length, violations.length], 'together'));
  console.log(`${validator.outside()} calls for tokens and to the bare address, which are not in the document.`);
  console.log(`${passed} tests of ${files.length} files passed.`);
}

function row([calls = 0, silent = 0, excused = 0, violations = 0]: readonly number[], name: string): string {
  const cells = [String(calls).padStart(5), String(silent).padStart(10), String(excused).padStart(7)];
  return [...cells, String(violations).padStart(10), name].join('  ');
}

function describe({ file, profile, method, path: place, status, fault, direction, at, message }: Finding): string {
  const where = `${method} ${place.replace(/\?.*/, '').replaceAll(/[\w-]{20,}/g, '…')} ${status}`;
  return [`${file} (${profile})`, where, fault ?? '', `${direction} ${at}:`, message].join(' ');
}
