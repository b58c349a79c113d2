// Lists from a replica: a real streaming standby that keeps up, falls behind, is unavailable and is promoted.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApp } from '../../src/app.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { readConfig } from '../../src/config/config.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { createDatabase } from '../harness/databases.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { ASK_AGAIN_MS, askDatabase, until } from '../harness/process.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { type Standby, startStandby } from '../harness/standby.ts';

const AS_OF = 'data-as-of';
const FRESH = { 'cache-control': 'no-cache' };

describe('lists with a replica', { timeout: 1_200_000 }, () => {
  let standby: Standby;
  let service: Service;
  const { log, lines } = recordingLog();
  const env = () => ({
    DATABASE_URL: standby.primaryUrl,
    DATABASE_READ_URL: standby.replicaUrl,
    // A machine may lose its CPU for long; what is too old is tested by a standby that shows nothing new.
    TRILHO_READ_MAX_LAG: 'PT5S',
  });

  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    standby = await startStandby({ after: stop => stops.push(stop) });
    service = await startService({ env: env(), log });
    stops.push(() => service.stop());
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  const charge = async (externalId: string) => {
    const made = await service.post('/charges', chargeBody({ externalId, methods: ['pix'] }));
    assert.equal(made.status, 201, made.text);
    return made.json.id as string;
  };
  const untilReplica = (path: string, fits: (answer: Answer) => boolean = () => true) =>
    until(
      `the replica to answer ${path}`,
      async () => {
        const answer = await service.get(path);
        assert.equal(answer.status, 200, answer.text);
        return answer.headers.has(AS_OF) && fits(answer) ? answer : undefined;
      },
      ASK_AGAIN_MS,
    );
  const untilPrimary = (path: string) =>
    until(
      `the primary to answer ${path}`,
      async () => {
        const answer = await service.get(path);
        assert.equal(answer.status, 200, answer.text);
        return answer.headers.has(AS_OF) ? undefined : answer;
      },
      ASK_AGAIN_MS,
    );

  test('a list comes from the replica, shows how old it may be, and has consistent rows and totals', async () => {
    await charge('first');
    const { json, headers } = await untilReplica('/charges', answer => answer.json.total === 1);
    assert.equal(json.charges[0].externalId, 'first');
    assert.match(headers.get(AS_OF)!, /^\d{4}-.*Z$/);
    for (const path of ['/crypto/transactions', '/crypto/transactions/ended', '/ledger/entries'])
      await untilReplica(path);
  });

  test('fresh data is not read from a replica: one charge, a search for one, a caller who asks for it', async () => {
    await untilReplica('/charges', answer => answer.json.total === 1);
    await standby.pause();
    const id = await charge('second');
    const one = await service.get(`/charges/${id}`);
    assert.equal(one.status, 200);
    const found = await service.get('/charges?externalId=second');
    assert.equal(found.json.total, 1);
    const fresh = await service.get('/charges', FRESH);
    assert.equal(fresh.json.total, 2);
    for (const answer of [one, found, fresh]) assert.ok(!answer.headers.has(AS_OF));
    for (const exported of [
      await fetch(`${service.url}/dashboard/charges.csv?externalId=second`),
      await fetch(`${service.url}/dashboard/charges.csv`, { headers: FRESH }),
    ]) {
      assert.match(await exported.text(), /second/);
      assert.ok(!exported.headers.has(AS_OF));
    }
    const ofCharge = await fetch(`${service.url}/dashboard/ledger.csv?chargeId=${id}`);
    assert.ok(!ofCharge.headers.has(AS_OF));
    const again = await service.post('/charges', chargeBody({ externalId: 'second', methods: ['pix'] }));
    assert.equal(again.json.id, id);
  });

  test('a replica that is too far behind is not used until it has caught up', async () => {
    const { json } = await untilPrimary('/charges');
    assert.equal(json.total, 2);
    const metrics = await service.get('/metrics');
    assert.match(metrics.text, /^trilho_replica_reads_total\{outcome="replica"\} [1-9]/m);
    const lag = Number(/^trilho_replica_lag_seconds (\S+)$/m.exec(metrics.text)?.[1]);
    assert.ok(lag > 5, `a lag of ${lag} s`);
    await service.get('/charges');
    assert.match((await service.get('/metrics')).text, /^trilho_replica_reads_total\{outcome="behind"\} [1-9]/m);
    const doctor = await runCommand(doctorCommand, { ...env(), TRILHO_READ_MAX_LAG: 'PT2S' }, []);
    assert.match(doctor.said, /^wrong {2}replica: more than 2 s behind/m);
    await standby.resume();
    await untilReplica('/charges', answer => answer.json.total === 2);
    assert.ok(lines.some(line => /too far behind/.test(line)));
  });

  test('an export is read from the replica, and shows how old it may be', async () => {
    const reads = async () =>
      Number(/^trilho_replica_reads_total\{outcome="replica"\} (\d+)/m.exec((await service.get('/metrics')).text)?.[1]);
    await until('an export from the replica', async () => {
      const atFirst = await reads();
      const exported = await fetch(`${service.url}/dashboard/charges.csv`);
      assert.equal((await exported.text()).trim().split('\r\n').length, 3);
      const isFromReplica = (await reads()) === atFirst + 1;
      if (isFromReplica) assert.match(exported.headers.get(AS_OF) ?? '', /^\d{4}-.*Z$/);
      return isFromReplica;
    });
  });

  test('the doctor finds a standby of the same database', async () => {
    const { said } = await runCommand(doctorCommand, { ...env(), TRILHO_READ_MAX_LAG: 'PT1H' }, []);
    assert.match(said, /^right {2}replica: a standby, showed a mark after \d+\.\d s$/m);
  });

  test('a replica that becomes unavailable costs no answer, and is used again when it is back', async () => {
    await untilReplica('/charges');
    await standby.stop();
    const { json } = await untilPrimary('/charges');
    assert.equal(json.total, 2);
    await until('the replica to be known as away', async () => {
      await service.get('/charges');
      const { text } = await service.get('/metrics');
      return /^trilho_replica_lag_seconds \+Inf$/m.test(text) && /_reads_total\{outcome="away"\} [1-9]/.test(text);
    });
    const { said } = await runCommand(doctorCommand, env(), []);
    assert.match(said, /^wrong {2}replica: does not answer/m);
    await standby.start();
    await untilReplica('/charges');
  });

  test('a server of another database is refused at the start', async t => {
    const other = await createDatabase();
    t.after(() => other.drop());
    await assert.rejects(
      startService({ env: { ...env(), DATABASE_READ_URL: other.url } }),
      /DATABASE_READ_URL leads to another database than DATABASE_URL/,
    );
    const { said } = await runCommand(doctorCommand, { ...env(), DATABASE_READ_URL: other.url }, []);
    assert.match(said, /^wrong {2}replica: DATABASE_READ_URL leads to another database/m);
  });

  test('a promoted standby is no longer used as a replica', async () => {
    await untilReplica('/charges');
    await standby.promote();
    await askDatabase(
      { connectionString: standby.replicaUrl },
      'update replica_marks set marked_at = clock_timestamp()',
    );
    await untilPrimary('/charges');
    const { said } = await runCommand(doctorCommand, env(), []);
    assert.match(said, /^wrong {2}replica: DATABASE_READ_URL is not a standby/m);
  });
});

test('the embedded database has no replicas', async () => {
  const config = readConfig({ PORT: '0', DATABASE_READ_URL: 'postgres://127.0.0.1/x' });
  await assert.rejects(startApp(config, silentLog), /DATABASE_READ_URL needs DATABASE_URL/);
});
