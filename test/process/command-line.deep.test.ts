// The command line: its errors, where it reads its settings, and who may start it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import {
  copyProject,
  faultsOf,
  folderWithDatabase,
  kill,
  launch,
  ownFolder,
  PROJECT,
  processesOf,
  refusalOf,
  runToEnd,
  startTrilho,
  until,
} from '../harness/process.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');

describe('the command line', { concurrency: 2 }, () => {
  test('every wrong variable is named at once, and no secret is printed', async t => {
    const folder = await ownFolder(t);
    const wrong = {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://me:s3cret@localhost/x',
      TRILHO_MODE: 'production',
      TRILHO_DEMO: 'yes',
      TRILHO_PAGE_SIZE: '0',
      TRILHO_PAGESIZE: '20',
    };
    const ended = await runToEnd({ folder, env: wrong });
    assert.equal(ended.code, 2);
    const said = faultsOf(ended);
    assert.deepEqual(said.map(line => line.split(' ')[0]).sort(), Object.keys(wrong).sort());
    assert.doesNotMatch(ended.stderr, /s3cret|^\s+at /m);
    assert.ok(said.includes('TRILHO_PAGESIZE is not a variable of Trilho.'));
  });

  test('a port in use is refused in one line, and the database does not stay behind', async t => {
    const folder = await folderWithDatabase(t);
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const ended = await runToEnd({ folder, env: { PORT: String(port) } });
    other.close();
    assert.match(refusalOf(ended), new RegExp(`Port ${port} .*in use`));
    assert.deepEqual(processesOf(folder), []);
  });

  test('an address that is not of this machine is refused in one line', async t => {
    const folder = await folderWithDatabase(t);
    assert.match(refusalOf(await runToEnd({ folder, env: { HOST: '203.0.113.1' } })), /HOST 203\.0\.113\.1/);
    assert.deepEqual(processesOf(folder), []);
  });

  test('a data directory that is a file, or cannot be created, is refused in one line', async t => {
    const folder = await ownFolder(t);
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    for (const TRILHO_DATA_DIR of [file, '/proc/nowhere/data']) {
      assert.match(refusalOf(await runToEnd({ folder, env: { TRILHO_DATA_DIR } })), /TRILHO_DATA_DIR/);
    }
  });

  test('a file .env in the working directory is read, and the environment overrides it', async t => {
    const folder = await folderWithDatabase(t);
    await writeFile(path.join(folder, '.env'), 'TRILHO_PAGE_SIZE=3\nPORT=1\n');
    const service = await startTrilho({ folder });
    const { json } = await service.get('/crypto/transactions');
    assert.equal(json.transactions.length, 3);
  });

  test('a .env that cannot be read is refused in one line', async t => {
    const folder = await ownFolder(t);
    await mkdir(path.join(folder, '.env'));
    assert.match(refusalOf(await runToEnd({ folder })), /\.env/);
  });

  test('a command that does not exist is refused in one line', async t => {
    const folder = await ownFolder(t);
    const run = (...args: string[]) => runToEnd({ folder, command: [process.execPath, TRILHO, ...args] });
    assert.match(refusalOf(await run('sing')), /sing/);
    assert.match(refusalOf(await run('serve', 'loudly')), /no arguments; "loudly"/);
    assert.match(refusalOf(await run('migrate')), /DATABASE_URL/);
  });

  test('pay and import report payments to a running service, each once', async t => {
    const folder = await folderWithDatabase(t);
    const service = await startTrilho({ folder });
    const run = (...args: string[]) => runToEnd({ folder, command: [process.execPath, TRILHO, ...args] });
    const paid = await service.charge({ methods: ['pix'] });
    for (const message of [/^Recorded\. The charge is PAID\./, /^Known before\. The charge is PAID\./]) {
      const { code, stdout } = await run('pay', paid, '15990', 'E9999999920261116120000000000001');
      assert.equal(code, 0);
      assert.match(stdout, message);
    }
    assert.match(refusalOf(await run('pay', paid, '1', 'E9999999920261116120000000000001')), /another payment/);
    const noted = ['pay', paid, '15990', 'seen in the app'];
    assert.match(refusalOf(await run(...noted)), /may be the payment "E99.*--another/);
    assert.match((await run(...noted, '--another')).stdout, /^Recorded\./);

    await writeFile(path.join(folder, 'wrong.csv'), 'OFXHEADER:100\r\nDATA:OFXSGML\r\n\r\n<OFX></OFX>');
    assert.match(refusalOf(await run('import', 'wrong.csv')), /looks like OFX.*\.ofx/);

    const other = await service.charge({ methods: ['pix'] });
    const { txid } = (await service.get(`/charges/${other}`)).json.pix;
    const statement = path.join(folder, 'statement.csv');
    const today = new Date().toLocaleDateString('pt-BR', { timeZone: 'America/Sao_Paulo' });
    await writeFile(
      statement,
      `data;valor;descrição\n${today};+159,90;PIX RECEBIDO ${txid}\n${today};+7,00;PIX DE ALGUEM\n`,
    );
    const first = await run('import', statement);
    assert.equal(first.code, 0, first.stderr);
    assert.match(
      first.stdout,
      /^1 paid a charge, 0 of another amount, 0 paid again, 0 possible duplicates, 0 returned, 1 unmatched, 0 known before, 0 not incoming\.$/m,
    );
    assert.match(
      (await run('import', statement)).stdout,
      /^0 paid a charge, .*0 possible duplicates, 0 returned, 0 unmatched, 2 known before/m,
    );
    const again = path.join(folder, 'again.csv');
    const endToEndId = 'E9999999920261116120000000000002';
    await writeFile(again, `data;valor;descrição\n${today};+159,90;Pix ${txid} ${endToEndId}\n`);
    assert.match(
      (await run('import', again)).stdout,
      /^0 paid a charge, 0 of another amount, 0 paid again, 1 possible duplicates,.*\nPossible duplicate: "E9999999920261116120000000000002" may be "row~\w+~1 .+"\.\n/m,
    );
    assert.equal((await service.get(`/charges/${other}`)).json.state, 'PAID');
    assert.equal((await service.get('/payments/unmatched')).json.total, 2);
    const unsigned = path.join(folder, 'unsigned.csv');
    await writeFile(unsigned, `data;valor;descrição\n${today};8,00;ALGUEM\n`);
    const doubtful = await run('import', unsigned);
    assert.equal(doubtful.code, 1);
    assert.match(doubtful.stdout, / 0 unmatched, .*\nLine 2: Nothing says whether the amount is a credit or a debit\./);
    const sure = await run('import', unsigned, '--debits-have-minus');
    assert.equal(sure.code, 0, sure.stdout);
    assert.match(sure.stdout, / 1 unmatched, /);
    assert.match(first.stderr, new RegExp(`^Database: ${service.dataPlace}$`, 'm'));
  });

  test('a command in a folder without a database reports that, and creates no database', async t => {
    const folder = await ownFolder(t);
    const statement = path.join(await ownFolder(t), 'statement.csv');
    await writeFile(statement, 'data;valor;descrição\n16/11/2026;+159,90;PIX\n');
    const live = { TRILHO_MODE: 'live' };
    const commands: [string[], Record<string, string>][] = [
      [['pay', '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17', '1', 'r'], {}],
      [['import', statement], {}],
      [['ledger', 'check'], {}],
      [['audit', 'verify'], {}],
      [['accounts', 'list'], {}],
      [['accounts', 'create', 'acme'], live],
      [['keys', 'create', '--account', 'acme', '--scopes', 'all'], live],
    ];
    for (const [args, env] of commands) {
      const ended = await runToEnd({ folder, env, command: [process.execPath, TRILHO, ...args] });
      const said = refusalOf(ended);
      assert.ok(said.startsWith(`There is no database in ${folder}/data, and only trilho serve creates one.`), said);
      assert.deepEqual(await readdir(folder), [], args.join(' '));
    }
  });

  test('a command whose output is closed ends quietly, as other tools do, and leaves no database running', async t => {
    const folder = await folderWithDatabase(t);
    const service = await startTrilho({ folder });
    await service.charge();
    await service.charge();
    await service.end();
    for (const args of [['config'], ['payer', 'export', '529.982.247-25']]) {
      const running = launch({ folder, command: [process.execPath, TRILHO, ...args] });
      running.child.stdout!.destroy();
      const ended = await running.ended();
      assert.equal(ended.code, 141, ended.stderr);
      assert.doesNotMatch(ended.stderr, /EPIPE|fatal/);
      assert.deepEqual(processesOf(folder), []);
    }
  });

  test('output that cannot be written is an error, not a success', { skip: !existsSync('/dev/full') }, async t => {
    const folder = await ownFolder(t);
    const script = `"${process.execPath}" "${TRILHO}" config > /dev/full`;
    const ended = await runToEnd({ folder, command: ['/bin/sh', '-c', script] });
    assert.equal(ended.code, 1, ended.stderr);
    assert.deepEqual(faultsOf(ended), ['Standard output could not be written (ENOSPC).']);
  });

  test('a wrong argument of pay and import is named', async t => {
    const folder = await ownFolder(t);
    const run = async (...args: string[]) =>
      refusalOf(await runToEnd({ folder, command: [process.execPath, TRILHO, ...args] }));
    const id = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';
    assert.match(
      await run('pay', 'nonsense', '1.5'),
      /^trilho pay: <reference> is missing; <charge id> must be a UUID, not "nonsense"; <cents> must be .*, not "1\.5"/,
    );
    assert.match(await run('pay', id, '1', 'r', 'cash'), /^trilho pay: <method> must be one of .*, not "cash"/);
    assert.match(await run('pay', id, '1', 'r', 'pix', 'today'), /^trilho pay: <when> must be .*, not "today"/);
    assert.match(await run('pay', id, '1', 'r'.repeat(256)), /^trilho pay: <reference> must have 1 to 255/);
    assert.match(await run('pay', id, '-1', 'r'), /^trilho pay: -1 is not an option/);
    assert.match(await run('import'), /^trilho import: <file> is missing/);
    assert.match(await run('import', 'statement.txt'), /^trilho import: <file> must end in .*"statement\.txt"/);
    assert.match(
      await run('import', 'statement.ofx', '--debits-have-minus'),
      /^trilho import: --debits-have-minus is for CSV/,
    );
    assert.match(await run('import', 'absent.csv'), /^The file "absent\.csv" cannot be read \(ENOENT\)/);
  });

  test('started by an old Node it runs itself with its own one, and passes on signals', async t => {
    const oldNode = findOldNode();
    if (!oldNode) return t.skip('no Node older than 22.18 on this machine');
    const folder = await folderWithDatabase(t);
    const { code, stdout } = await runToEnd({ folder, command: [oldNode, TRILHO, 'version'] });
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+(-rc\.\d+)?\n$/);
    assert.equal((await runToEnd({ folder, command: [oldNode, TRILHO, 'sing'] })).code, 2);

    const service = await startTrilho({ folder, command: [oldNode, TRILHO, 'serve'] });
    await service.charge();
    assert.equal((await service.end()).code, 0);
    assert.deepEqual(processesOf(folder), []);
  });

  for (const [what, signal, isForGroup] of [
    ['SIGTERM to npm', 'SIGTERM', false],
    ['Ctrl-C in its terminal', 'SIGINT', true],
  ] as const) {
    test(`npm start ends with everything it started on ${what}`, async t => {
      const folder = await folderWithDatabase(t);
      const project = path.join(folder, 'project');
      await copyProject(project);
      const npm = launch({ folder, cwd: project, command: ['npm', 'start'], ownGroup: true });
      const url = await until('the service to listen', () => /listens on (\S+)/.exec(npm.stdout())?.[1]);
      assert.equal((await fetch(`${url}/readyz`)).status, 200);
      kill(isForGroup ? -npm.pid : npm.pid, signal);
      await until('nothing to be left running', () => processesOf(folder).length === 0);
      assert.match(npm.stdout(), /Stopping\./);
      assert.equal(existsSync(path.join(folder, 'data/postgres/postmaster.pid')), false);
    });
  }
});

/** A Node on this machine that is too old for the sources. */
function findOldNode(): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(':'), '/usr/local/bin', '/usr/bin'];
  return places
    .map(place => path.join(place, 'node'))
    .find(node => {
      const [, major, minor] = /^v(\d+)\.(\d+)/.exec(spawnSync(node, ['-v'], { encoding: 'utf8' }).stdout ?? '') ?? [];
      return major !== undefined && (Number(major) < 22 || (Number(major) === 22 && Number(minor) < 18));
    });
}
