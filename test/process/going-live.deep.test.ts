// «From nothing to a paid charge» in docs/live.md, run as written: its commands in order, in three shells. Only the ports differ,
// and where the page waits a while, the test waits for the result that the page announces.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  askDatabase,
  embeddedConnection,
  freePort,
  launch,
  ownFolder,
  PROJECT,
  type Running,
  until,
} from '../harness/process.ts';

/** The page's ports: of the PSP, of its control API, of the receiver, of the service. */
const PORTS = ['8443', '8444', '9443', '3000'] as const;

/** The result after each wait of the page, as a field of the charge and its value. */
const AWAITED = [
  ['state', 'PAID'],
  ['refunds[0]?.status', 'DONE'],
  ['state', 'REFUNDED'],
  ['state', 'PAID'],
] as const;

/** Commands come from this checkout, and a refused request is a failure. */
const PRELUDE = `
npx() { shift; node ${PROJECT}/bin/trilho.js "$@" $([ "$1" = psp ] && echo --port $PSP_PORT --control-port $CONTROL_PORT); }
curl() { command curl --fail-with-body --silent --show-error "$@"; }
`;

/** Waits for one after another, so that a slow machine has time for each. */
async function untilSaid({ child, stdout, stderr }: Running, texts: readonly string[]): Promise<void> {
  for (const word of texts) {
    await until(`«${word}» to be printed`, () => {
      const said = stdout() + stderr();
      if (said.includes(word)) return true;
      assert.equal(child.exitCode, null, said);
      return false;
    });
  }
}

function blocksOf(heading: string): string[] {
  const page = readFileSync(path.join(PROJECT, 'docs/live.md'), 'utf8');
  const section = page.split(/^#+ (?=.)/m).find(part => part.startsWith(`${heading}\n`));
  assert.ok(section, `docs/live.md has ${heading}`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
}

test('the section «From nothing to a paid charge» of docs/live.md works as written', async t => {
  const folder = await ownFolder(t);
  const ports = await Promise.all(PORTS.map(freePort));
  const [pspPort, controlPort, , port] = ports.map(String);
  const env = { PSP_PORT: pspPort!, CONTROL_PORT: controlPort!, PORT: port! };
  const withPorts = (text: string) =>
    PORTS.reduce((replaced, name, index) => replaced.replaceAll(`:${name}`, `:${ports[index]}`), text)
      // The receiver's, in the settings.
      .replaceAll(`"port": ${PORTS[2]}`, `"port": ${ports[2]}`);
  const shell = (script: string, ...options: string[]): Running =>
    launch({ folder, env, command: ['bash', ...options, '-c', PRELUDE + withPorts(script)] });

  const [psp = '', service = '', ...shop] = blocksOf('From nothing to a paid charge');
  const first = shell(psp);
  await untilSaid(first, ['Base URL']);
  const second = shell(service);
  await untilSaid(second, [
    'needs an API key',
    'Account acme is open',
    'It is shown only once',
    'No one can log in yet: npx trilho people invite',
  ]);

  let waits = 0;
  const script = shop.join('\n').replaceAll(/^sleep \d+$/gm, () => {
    const [field, value] = AWAITED[waits++] ?? [];
    return `echo waiting ${waits}; until [ "$(curl $at/charges/$charge -H "$key" | field '${field}')" = ${value} ]; do sleep 0.2; done`;
  });
  assert.equal(waits, AWAITED.length, 'the page waits as often as this test knows');
  // The first command that fails ends it.
  const third = shell(script, '-e');
  const waiting = AWAITED.map((_, index) => `waiting ${index + 1}`);
  await untilSaid(third, ['right  settings', 'psp:main  pix', ...waiting]);
  const dataPlace = /^ {2}Data +(.+)$/m.exec(second.stdout())?.[1] ?? '';
  // As if a minute had passed.
  await askDatabase(embeddedConnection(dataPlace), 'update rails set next_look_at = now()');
  const { code, stdout, stderr } = await third.ended();
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /^psp:main {2}pix {2}custom \(test\)$/m);
  assert.doesNotMatch(stdout, /^wrong/m);
  assert.equal(stdout.match(/nothing differs\.$/gm)?.length, 2);
  assert.match(stdout, /"kind":"return"/);
});
