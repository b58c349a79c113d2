// Each package as its users get it: packed by npm, installed in an empty folder, checked by tsc and run.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { ownFolder, PROJECT, until } from '../harness/process.ts';

const TSC = path.join(PROJECT, 'node_modules/typescript/bin/tsc');
const node = (folder: string, ...args: string[]) =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Builds and packs all packages; a folder with the tarballs. */
async function packed(t: TestContext): Promise<string> {
  const folder = await ownFolder(t);
  node(PROJECT, 'scripts/build-packages.ts', folder);
  for (const name of readdirSync(folder)) execFileSync('npm', ['pack', `./${name}`, '--silent'], { cwd: folder });
  return folder;
}

/** A user's project, with the package unpacked into its node_modules and these dependencies beside it. */
async function projectWith(t: TestContext, tarball: string, name: string, dependencies: readonly string[]) {
  const folder = await ownFolder(t);
  const place = path.join(folder, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  for (const dependency of dependencies) {
    const link = path.join(folder, 'node_modules', dependency);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(PROJECT, 'node_modules', dependency), link);
  }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** The examples of the README. */
function examplesOf(folder: string, name: string): string[] {
  const readme = readFileSync(path.join(folder, 'node_modules', name, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(match => match[1]!);
  assert.ok(examples.length > 0);
  return examples;
}

/** Each of them as a file, with the declarations that they assume. */
function writeExamples(folder: string, name: string, before: string): void {
  const examples = examplesOf(folder, name);
  for (const [index, example] of examples.entries()) {
    writeFileSync(path.join(folder, `example${index}.ts`), `${before}\n${example}`);
  }
}

/** Libraries are checked too, so that a missing declaration is found. */
function checkTypes(folder: string, types: readonly string[]): void {
  const compilerOptions = {
    ...{ target: 'es2024', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: types.length > 0, types },
  };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  node(folder, TSC);
}

const USES_CNAB = `
import { addBank, boletoBarcode, type CnabBank, digitableLine, explainFile, fileWriter, readHead } from '@trilho/cnab';
import { FILE_HEADER } from '@trilho/cnab/layout';

const account = { agency: '4327', agencyDigit: '3', accountNumber: '3666', accountDigit: '8', carteira: '1', modality: '01', beneficiaryCode: '42971' };
const agreement = { bank: '756', account, holder: { name: 'Padaria São João', document: '11222333000181' } };
const payer = { name: 'José', document: '52998224725' };
const title = { ourNumber: '42', documentNumber: '42', issueDay: '2026-11-17', dueDay: '2026-12-10', amountCents: 12_345n, payer };
const writer = fileWriter(agreement, { sequence: 1, day: '2026-11-17', time: '093000' });
const text: string = writer.add({ movement: 'register', title }) + writer.end();
const bytes: Uint8Array = new TextEncoder().encode(text);
const names = [...explainFile(bytes)].map(({ name }) => name);
let refusal = '';
try { readHead(bytes); } catch (error) { refusal = (error as Error).message; }
const line = digitableLine(boletoBarcode({ bank: '756', dueDay: title.dueDay, amountCents: 12_345n, freeField: '1'.repeat(25) }));
const add: (bank: CnabBank) => () => void = addBank;
declare const console: { log(text: string): void };
console.log(JSON.stringify({ names, refusal, line, add: typeof add, from: FILE_HEADER.bankName.from }));
`;

const tarballOf = (tarballs: string, name: string) =>
  path.join(tarballs, readdirSync(tarballs).find(file => new RegExp(`^trilho-${name}-.*\\.tgz$`).test(file)) ?? '');

/** An empty project into which npm has installed the package, which needs nothing else. */
async function installed(t: TestContext, name: string): Promise<string> {
  const tarball = tarballOf(await packed(t), name);
  const folder = await ownFolder(t);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  execFileSync('npm', ['install', '--offline', '--silent', tarball], { cwd: folder });
  assert.deepEqual(readdirSync(path.join(folder, `node_modules/@trilho/${name}`)).sort(), [
    ...['LICENSE', 'README.md', 'lib', 'package.json'],
  ]);
  return folder;
}

test('@trilho/cnab is installed by npm without a network, needs no types of Node, and writes a file', async t => {
  const folder = await installed(t, 'cnab');
  writeExamples(folder, '@trilho/cnab', 'declare const console: { log(...values: unknown[]): void };');
  writeFileSync(path.join(folder, 'use.ts'), USES_CNAB);
  checkTypes(folder, []);
  const { names, refusal, line, add, from } = JSON.parse(node(folder, 'use.ts'));
  assert.deepEqual(names, [
    ...['file header', 'lot header', 'segment P: title', 'segment Q: payer', 'lot trailer', 'file trailer'],
  ]);
  assert.match(refusal, /goes to a bank/);
  assert.deepEqual([line.length, add, from], [47, 'function', 103]);
});

const USES_CLIENT = `
import { type Charge, createTrilho, type Event, signWebhook, TrilhoError, verifyWebhook } from '@trilho/client';

const asked: string[] = [];
const trilho = createTrilho({
  url: 'https://pay.example',
  key: 'tk',
  fetch: async (input, init) => {
    asked.push(\`\${init?.method} \${input}\`);
    const isOrder = String(input).includes('/crypto/');
    return new Response(isOrder ? '{"quantity":0.123456789012345678}' : '{"charges":[{"id":"one"}],"hasMore":false}');
  },
});
const ids: string[] = [];
for await (const charge of trilho.charges.list({ state: 'PAID', pageSize: 1 })) {
  const typed: Charge = charge;
  ids.push(typed.id);
}
const { quantity } = await trilho.orders.get('two');
const text: string = quantity;
const about = (event: Event): number =>
  event.type === 'charge.paid' ? event.object.amountCents : event.type === 'plan.created' ? event.object.cycles ?? 0 : 0;
// @ts-expect-error: the body lacks required fields
const wrong = () => trilho.charges.create({ accountId: 'acme' });
// @ts-expect-error: the operation takes no key
const keyed = () => trilho.charges.cancel('one', { idempotencyKey: 'mine' });
const body = '{"type":"charge.paid"}';
const { type } = await verifyWebhook(body, await signWebhook(body, 'whsec_c2VjcmV0', { id: 'e' }), 'whsec_c2VjcmV0');
const code = await trilho.request('GET', '/x').then(() => '', error => (error as TrilhoError).name);
console.log(JSON.stringify({ asked, ids, text, type, code, functions: [about, wrong, keyed].length }));
`;

test('@trilho/client is installed by npm without a network, and its types and examples hold in browsers and in Node', async t => {
  const folder = await installed(t, 'client');
  writeFileSync(path.join(folder, 'examples.ts'), examplesOf(folder, '@trilho/client').join('\n'));
  writeFileSync(path.join(folder, 'use.ts'), USES_CLIENT);
  checkTypes(folder, []);
  assert.deepEqual(JSON.parse(node(folder, 'use.ts')), {
    asked: [
      'GET https://pay.example/charges?state=PAID&pageSize=1',
      'GET https://pay.example/crypto/transactions/two',
      'GET https://pay.example/x',
    ],
    ids: ['one'],
    text: '0.123456789012345678',
    type: 'charge.paid',
    code: '',
    functions: 3,
  });
  const lib = path.join(folder, 'node_modules/@trilho/client/lib');
  const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter(name => /\.(js|d\.ts)$/.test(name));
  for (const name of files) {
    const source = readFileSync(path.join(lib, name), 'utf8');
    assert.doesNotMatch(source, /from '(?!\.)|import\(|typebox|\bprocess\.|\bBuffer\b/i, name);
  }
});

const USES_PSP = `
import { PROFILE_NAMES, type Psp, startPsp } from '@trilho/psp';

const psp: Psp = await startPsp({ profile: 'efi', folder: 'keys' });
psp.setFault({ kind: 'lost-reply', count: 1 });
const answer = await fetch(psp.controlUrl);
console.log(JSON.stringify({ status: answer.status, profiles: PROFILE_NAMES.length, faults: psp.faults().length }));
await psp.stop();
`;

test('@trilho/psp starts as a library and as a program', async t => {
  const tarballs = await packed(t);
  const tarball = tarballOf(tarballs, 'psp');
  const dependencies = ['@brazilian-utils/brazilian-utils', 'asn1js', 'pkijs', '@types/node'];
  const folder = await projectWith(t, tarball, '@trilho/psp', dependencies);
  writeExamples(folder, '@trilho/psp', 'declare const emv: string; declare const clock: { now(): Date };');
  writeFileSync(path.join(folder, 'use.ts'), USES_PSP);
  checkTypes(folder, ['node']);
  assert.deepEqual(JSON.parse(node(folder, 'use.ts')), { status: 200, profiles: 11, faults: 1 });
  assert.ok(existsSync(path.join(folder, 'keys/ca.pem')));

  const program = path.join(folder, 'node_modules/@trilho/psp/lib/main.js');
  const child = spawn(process.execPath, [program, '--port', '0', '--control-port', '0'], { cwd: folder });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    said += text;
  });
  await until('the PSP to print its addresses', () => {
    assert.equal(child.exitCode, null, said);
    return said.includes('Pay a charge');
  });
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.throws(() => node(folder, program, '--profile', 'nubank'), {
    status: 2,
    stderr: /there are bacen, efi.*--help/,
  });
  assert.throws(() => node(folder, program, '--loud'), { status: 2, stderr: /--loud/ });
});
