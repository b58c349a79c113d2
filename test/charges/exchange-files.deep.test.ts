// Files to and from the SFTP server of a bank, against a real OpenSSH server: each file arrives once and complete, each return is
// read once, and a server with another key gets nothing.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isSendingDue } from '../../src/charges/bank-files/exchange-files.ts';
import { cnabCommand } from '../../src/cli/cnab.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { civilDay } from '../../src/lib/civil-days.ts';
import { AppError, StartError } from '../../src/lib/errors.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { sftpServer } from '../../src/rails/cnab-boleto/sftp.ts';
import { openBank } from '../../src/sandbox/cnab-bank/bank.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import type { FileCrash } from '../harness/file-crash-at-step.ts';
import { type Service, startService } from '../harness/service.ts';
import { type Sshd, startSshd, withoutSshd } from '../harness/sshd.ts';
import { customerOf } from '../sandbox/cnab-bank/customers.ts';

const RAIL = 'sicoob:main';

test('files are sent at the configured times of day, once at each', () => {
  const times = ['09:00', '16:30'];
  const at = (text: string) => new Date(`2026-11-${text}-03:00`);
  const due = (last: string, now: string) => isSendingDue(times, at(last), at(now));
  assert.equal(due('17T08:30:00', '17T08:59:59'), false);
  assert.equal(due('17T08:30:00', '17T09:00:00'), true);
  assert.equal(due('17T09:00:00', '17T16:29:00'), false);
  assert.equal(due('17T16:00:00', '18T00:10:00'), true, 'of the day before');
  assert.equal(due('17T17:00:00', '18T08:00:00'), false);
  assert.equal(isSendingDue(undefined, at('17T08:30:00'), at('17T08:31:00')), true);
  assert.equal(isSendingDue(times, undefined, at('17T08:31:00')), true);
});

describe('the SFTP server of a bank', { skip: withoutSshd }, () => {
  let sshd: Sshd;
  let service: Service;
  const bank = openBank(customerOf('756'));
  const entry = (changes: Partial<AgreementEntry['sftp']> = {}) =>
    agreementEntry('756', { name: RAIL, sftp: { ...sshd.settings, everyMinutes: 10, ...changes } });
  const environment = (changes: Partial<AgreementEntry['sftp']> = {}) => ({
    TRILHO_MODE: 'live',
    TRILHO_RATE_LIMIT: '0',
    TRILHO_BOLETOS: JSON.stringify([entry(changes)]),
  });
  const command = (changes: Partial<AgreementEntry['sftp']> = {}) =>
    runCommand(cnabCommand, { ...environment(changes), DATABASE_URL: service.databaseUrl }, ['exchange']);
  const refused = (changes: Partial<AgreementEntry['sftp']>, pattern: RegExp) =>
    assert.rejects(command(changes), error => error instanceof StartError && pattern.test(error.message));
  const today = () => civilDay(service.clock.now());
  const charge = async () => {
    const made = await service.post(
      '/charges',
      boletoBody({ dueAt: '2030-01-15T12:00:00Z', expireAt: '2030-01-30T12:00:00Z' }),
    );
    assert.equal(made.status, 201, made.text);
    return made.json;
  };
  const status = async ({ id }: { id: string }) => (await service.get(`/charges/${id}`)).json.boleto.status;
  const pass = (minutes: number) =>
    service.clock.set(new Date(service.clock.now().getTime() + minutes * 60_000).toISOString());
  const leave = (name: string, bytes: Buffer) => writeFileSync(path.join(sshd.returned, name), bytes);
  /** The bank takes the files from its folder. */
  const takeAll = () => {
    for (const name of readdirSync(sshd.sent).sort()) {
      bank.take(readFileSync(path.join(sshd.sent, name)), today());
      rmSync(path.join(sshd.sent, name));
    }
  };
  /** From here on files are exchanged only when the test says so. */
  const restSchedule = () => service.sql(`update boleto_agreements set next_exchange_at = 'infinity'`);
  /** As if the node that held the lease were long dead. */
  const releaseLease = () => service.sql('delete from leases');
  const answer = () => bank.makeReturn({ day: today(), time: '180000' });

  before(async () => {
    sshd = await startSshd();
    // On the machine's clock, as the commands are.
    service = await startService({ mode: 'live', now: new Date().toISOString(), env: environment() });
  });
  after(async () => {
    await service?.stop();
    await sshd?.stop();
  });

  test('gets waiting files by itself, complete and under one name, and its returns are read once', async () => {
    const one = await charge();
    await service.runJobs();
    await service.runJobs();
    pass(10);
    await service.runJobs();
    assert.deepEqual(readdirSync(sshd.sent), ['sicoob-main-000001.rem']);
    takeAll();
    leave('first.ret', answer());
    assert.equal(await status(one), 'CREATING');
    pass(10);
    await service.runJobs();
    assert.equal(await status(one), 'REGISTERED');
    pass(10);
    await service.runJobs();
    const rows = await service.sql<{ name: string }>(
      'select name from boleto_fetched_files where return_id is not null',
    );
    assert.deepEqual(rows, [{ name: 'first.ret' }]);
    assert.deepEqual(readdirSync(sshd.sent), [], 'nothing is sent twice');
    assert.ok(existsSync(path.join(sshd.returned, 'first.ret')), 'the return stays at the bank');
  });

  test('is used by trilho cnab exchange; half a return and a file that is not a return are reported, and the complete one is read later', async () => {
    const one = await charge();
    await service.runJobs();
    const first = await command();
    assert.deepEqual([first.code, first.said], [0, `${RAIL}: sent 2.`]);
    takeAll();
    const whole = answer();
    leave('second.ret', whole.subarray(0, 500));
    leave('letter.txt', Buffer.from('Dear customer,\r\n'));
    const half = await command();
    assert.equal(half.code, 1);
    assert.match(half.said, /second\.ret is not a return\. The file has no file trailer: its end is missing\.$/m);
    assert.match(half.said, /letter\.txt is not a return\. The file is not CNAB 240/);
    leave('second.ret', whole);
    assert.match(
      (await command()).said,
      /^sicoob:main: fetched second\.ret, 1 entries\.\nsicoob:main: nothing to send\.$/,
    );
    assert.equal(await status(one), 'REGISTERED');
    assert.equal((await command()).said, `${RAIL}: nothing to send.`);
    // The same file under another name, and with a new time: read before.
    leave('copy.ret', whole);
    utimesSync(path.join(sshd.returned, 'second.ret'), 1_000_000_000, 1_000_000_000);
    const again = await command();
    assert.match(again.said, /fetched second\.ret, 1 entries/);
    assert.equal((await service.sql('select from boleto_returns')).length, 2);
  });

  test('a return that was refused because of a setting is read by itself once the setting is corrected', async () => {
    await restSchedule();
    const one = await charge();
    await service.runJobs();
    await command();
    takeAll();
    leave('mended.ret', answer());
    const other = agreementEntry('756', { name: 'sicoob:other', firstNumber: '900000' });
    const mistaken = { ...entry(), accountNumber: '9999', beneficiaryCode: '99999', lastNumber: '899999' };
    const wrong = { TRILHO_BOLETOS: JSON.stringify([mistaken, other]), DATABASE_URL: service.databaseUrl };
    const said = await runCommand(cnabCommand, { ...environment(), ...wrong }, ['exchange', RAIL]);
    assert.match(said.said, /mended\.ret is not a return\. The file belongs to the agreement sicoob:other/);
    assert.equal(await status(one), 'CREATING');
    assert.match((await command()).said, /fetched mended\.ret, 1 entries/);
    assert.equal(await status(one), 'REGISTERED');
    assert.equal((await command()).said, `${RAIL}: nothing to send.`, 'read once');
  });

  test('a file that a person takes to the bank is not sent too, unless requested', async () => {
    await restSchedule();
    await charge();
    await service.runJobs();
    const [{ sequence }] = (await service.post('/boletos/files', { agreement: RAIL })).json.files;
    assert.equal((await service.post(`/boletos/files/${RAIL}/${sequence}/take`, undefined)).status, 200);
    assert.equal((await command()).said, `${RAIL}: nothing to send.`);
    assert.deepEqual(readdirSync(sshd.sent), []);
    const env = { ...environment(), DATABASE_URL: service.databaseUrl };
    const asked = await runCommand(cnabCommand, env, ['exchange', '--file', String(sequence)]);
    assert.equal(asked.said, `${RAIL}: sent ${sequence}.`);
    takeAll();
    await assert.rejects(runCommand(cnabCommand, env, ['exchange', '--file', '777']), /There is no file 777/);
    leave('byhand.ret', answer());
    await command();
  });

  test('a process that is killed at any step has sent each file once, with the same bytes', async () => {
    const { databaseUrl } = service;
    const seen = new Map<string, string>();
    const victims = await crashEverywhere({
      prepare: async () => {
        await restSchedule();
        await charge();
        await service.runJobs();
        for (const name of readdirSync(sshd.sent))
          if (!name.startsWith('.')) seen.set(name, readFileSync(path.join(sshd.sent, name), 'latin1'));
        return [undefined];
      },
      crash: async (_, step) => {
        await releaseLease();
        const now = service.clock.now().toISOString();
        const order: FileCrash = {
          verb: 'exchange',
          step,
          now,
          databaseUrl,
          agreement: entry(),
          folder: '',
          chargeIds: [],
        };
        const hasDied = await crashAt('file-crash-at-step.ts', order);
        for (const [name, text] of seen) assert.equal(readFileSync(path.join(sshd.sent, name), 'latin1'), text, name);
        return hasDied;
      },
    });
    await releaseLease();
    await command();
    assert.ok(!readdirSync(sshd.sent).some(name => name.startsWith('.')), 'no partial file is left');
    const files = readdirSync(sshd.sent).filter(name => !name.startsWith('.'));
    const stored = await service.sql<{ sequence: number }>('select sequence from boleto_files where sequence > 4');
    assert.equal(files.length, stored.length);
    for (const name of files) bank.take(readFileSync(path.join(sshd.sent, name)), today());
    assert.ok(bank.state().news.every(({ occurrence }) => occurrence === '02'));
    assert.equal(bank.state().news.length, victims.length, 'each boleto once');
  });

  test('with another key, another user or another folder is refused in one sentence that names the setting', async () => {
    const before = readdirSync(sshd.sent).length;
    await restSchedule();
    await charge();
    await service.runJobs();
    await refused(
      { hostKey: sshd.otherKey },
      /^sftp\.hostKey of sicoob:main is not the key of the server, which shows SHA256:[A-Za-z0-9+/]{43}\.$/,
    );
    await refused(
      { keyFile: sshd.strangersKey },
      /^sftp\.user of sicoob:main is refused by the server, or its key or password\.$/,
    );
    await refused({ sendFolder: '/none/there' }, /^sftp\.sendFolder of sicoob:main is not there\.$/);
    await refused({ fetchFolder: '/none/there' }, /^sftp\.fetchFolder of sicoob:main is not there\.$/);
    await refused({ port: 1 }, /^The SFTP server of sicoob:main does not answer \(ECONNREFUSED\)\.$/);
    await refused({ keyFile: '/none/there' }, /^boletos\[0\]\.sftp\.keyFile cannot be read \(ENOENT\)\.$/);
    assert.equal(readdirSync(sshd.sent).length, before, 'nothing is sent');
    const [row] = await service.sql<{ exchange_error: string }>('select exchange_error from boleto_agreements');
    assert.match(row?.exchange_error ?? '', /does not answer/);
  });

  test('a file of ours that was replaced is not overwritten', async () => {
    const [{ sequence } = { sequence: 0 }] = await service.sql<{ sequence: number }>(
      'select coalesce(max(sequence), 0) + 1 as sequence from boleto_files',
    );
    const name = `sicoob-main-${String(sequence).padStart(6, '0')}.rem`;
    const place = path.join(sshd.sent, name);
    writeFileSync(place, 'something else');
    await restSchedule();
    await charge();
    await service.runJobs();
    await refused({}, new RegExp(`^sftp\\.sendFolder of sicoob:main has another file named ${name}\\.$`));
    assert.equal(statSync(place).size, 14);
    renameSync(place, `${place}.old`);
    assert.equal((await command()).said, `${RAIL}: sent ${sequence}.`);
  });

  test('gets nothing from an attempt that lost its lease, and keeps no part of it', async () => {
    const name = 'sicoob-main-900000.rem';
    const bytes = Buffer.from('the whole file');
    const digest = createHash('sha256').update(bytes).digest('hex');
    const server = sftpServer(RAIL, sshd.settings);
    const [slow, quick] = [await server.connect(), await server.connect()];
    const begun = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    const inHalves = async function* () {
      yield bytes.subarray(0, 5);
      begun.resolve();
      await goesOn.promise;
      yield bytes.subarray(5);
    };
    const whole = async function* () {
      yield bytes;
    };
    const lost = new AbortController();
    const overtaken = slow.put({ name, digest, parts: inHalves() }, lost.signal);
    await begun.promise;
    await quick.put({ name, digest, parts: whole() }, new AbortController().signal);
    // The bank takes the file.
    assert.deepEqual(readFileSync(path.join(sshd.sent, name)), bytes);
    rmSync(path.join(sshd.sent, name));
    lost.abort(new AppError('database_timeout', 'Another node has the lease.'));
    goesOn.resolve();
    await assert.rejects(overtaken, /Another node has the lease/);
    assert.deepEqual(
      readdirSync(sshd.sent).filter(left => left.includes(name)),
      [],
    );
    await slow.close();
    await quick.close();
  });

  test('with an unreadable return still gets waiting files, and its other returns are read', async t => {
    await restSchedule();
    const one = await charge();
    await service.runJobs();
    await command();
    await restSchedule();
    for (const name of readdirSync(sshd.sent))
      if (!/^sicoob-main-\d+\.rem$/.test(name)) rmSync(path.join(sshd.sent, name));
    takeAll();
    const good = answer();
    // The database refuses this one, as with any other fault.
    await service.sql(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
    await service.sql(
      'create trigger refuse before insert on boleto_returns for each row when (new.sequence = 666) execute function refuse()',
    );
    t.after(async () => {
      await service.sql('drop trigger refuse on boleto_returns');
      for (const name of ['a-bad.ret', 'b-closed.ret']) rmSync(path.join(sshd.returned, name));
    });
    leave('b-closed.ret', good);
    chmodSync(path.join(sshd.returned, 'b-closed.ret'), 0);
    leave('a-bad.ret', Buffer.from(good.toString('latin1').replace(/^(.{157}).{6}/, '$1000666'), 'latin1'));
    leave('good.ret', good);
    await charge();
    await service.runJobs();
    const { code, said } = await command();
    assert.equal(code, 1);
    assert.match(said, /^sicoob:main: The return a-bad\.ret could not be read: the log says why\.$/m);
    assert.match(said, /^sicoob:main: The return b-closed\.ret could not be read: the log says why\.$/m);
    assert.match(said, /^sicoob:main: fetched good\.ret, \d+ entries\.$/m);
    assert.match(said, /^sicoob:main: sent \d+\.$/m);
    assert.equal(await status(one), 'REGISTERED');
    const [row] = await service.sql<{ exchange_error: string }>('select exchange_error from boleto_agreements');
    assert.match(row?.exchange_error ?? '', /a-bad\.ret could not be read/);
  });

  test('is checked by trilho doctor', async () => {
    const env = { ...environment(), DATABASE_URL: service.databaseUrl };
    const good = await runCommand(doctorCommand, env, []);
    assert.match(good.said, /^right {2}rail sicoob:main: sftp: The server has the right key and both folders\.$/m);
    const bad = await runCommand(doctorCommand, { ...env, ...environment({ hostKey: sshd.otherKey }) }, []);
    assert.match(bad.said, /^wrong {2}rail sicoob:main: sftp: sftp\.hostKey of sicoob:main is not the key/m);
    assert.equal(bad.code, 1);
  });
});
