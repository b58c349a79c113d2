// Boletos that a bank registers from files: numbers, instructions, files.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileParts, makeFile, makeFiles } from '../../src/charges/bank-files/make-file.ts';
import { CHARGE_JOBS } from '../../src/charges/jobs.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { type Queue, startQueue } from '../../src/jobs/queue.ts';
import { CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { connect } from '../../src/storage/connect.ts';
import type { Database } from '../../src/storage/database.ts';
import { agreementEntry, boletoBody as body } from '../harness/agreements.ts';
import { textOf } from '../harness/dashboard.ts';
import { startFileExchange } from '../harness/file-exchange.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { logIn, SAME_ORIGIN } from '../harness/people.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

const RAIL = 'sicoob:main';
const PIX_KEY = { TRILHO_PIX_KEY: 'pix@example.com', TRILHO_PIX_NAME: 'Acme', TRILHO_PIX_CITY: 'Recife' };

type Bench = {
  readonly service: Service;
  make(): ReturnType<typeof makeFile>;
  makeAll(): ReturnType<typeof makeFiles>;
  textOf(sequence: number): Promise<string>;
  numberOf(made: Answer): Promise<string | undefined>;
  stop(): Promise<void>;
};

async function startBench(changes: Partial<AgreementEntry> = {}): Promise<Bench> {
  const boletos = [agreementEntry('756', { name: RAIL, ...changes })];
  const env = { ...PIX_KEY, TRILHO_BOLETOS: JSON.stringify(boletos) };
  const service = await startService({ mode: 'live', env });
  const { rails } = liveRails({ rails: [], boletos }, { clock: service.clock, log: silentLog });
  const db: Database = await connect({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  const queue: Queue = await startQueue({ db, log: silentLog, kinds: CHARGE_JOBS });
  const links = await openLinks(db, () => service.url);
  const deps = { db, queue, links, chargeFollowers: CHARGE_FOLLOWERS, rails, clock: service.clock, log: silentLog };
  return {
    service,
    make: () => makeFile(deps, RAIL),
    makeAll: () => makeFiles(deps, RAIL),
    textOf: async sequence => {
      const parts: Buffer[] = [];
      for await (const part of fileParts(db, { rail: RAIL, sequence })) parts.push(part);
      return Buffer.concat(parts).toString('latin1');
    },
    numberOf: async made => {
      const [row] = await service.sql<{ reference: string }>(
        "select reference from charge_methods where charge_id = $1 and method = 'boleto'",
        [made.json.chargeId ?? made.json.id],
      );
      return row?.reference;
    },
    stop: async () => {
      await queue.stop();
      await db.close();
      await service.stop();
    },
  };
}

const linesOf = (text: string) => text.split('\r\n').slice(0, -1);
const numbersIn = (text: string) => linesOf(text).flatMap(line => (line[13] === 'P' ? line.slice(39, 46) : []));

describe('boletos by file', () => {
  let bench: Bench;
  before(async () => {
    bench = await startBench({ firstNumber: '100', firstFile: 7 });
  });
  after(() => bench.stop());

  test('a boleto has the next number of its agreement and its line at once, and waits for the bank', async () => {
    const first = await bench.service.post('/charges', body());
    const second = await bench.service.post('/charges', body());
    assert.equal(first.status, 201, first.text);
    assert.deepEqual([await bench.numberOf(first), await bench.numberOf(second)], ['0000100', '0000101']);
    assert.equal(first.json.boleto.status, 'CREATING');
    assert.match(first.json.boleto.digitableLine, /^756\d{44}$/);
    await bench.service.runJobs();
    const read = await bench.service.get(`/charges/${first.json.id}`);
    assert.equal(read.json.boleto.status, 'CREATING');
  });

  test('simultaneous charges get a number each, and a repeat gets that of the first', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        bench.service.post('/charges', body({ externalId: `at-once-${index % 20}` })),
      ),
    );
    const numbers = new Set(await Promise.all(answers.map(bench.numberOf)));
    assert.equal(numbers.size, 20);
  });

  test('a file has every boleto that waits, once, and is the same each time that it is fetched', async () => {
    await bench.service.runJobs();
    const made = await bench.make();
    assert.equal(made?.sequence, 7);
    const text = await bench.textOf(7);
    const numbers = numbersIn(text);
    assert.equal(numbers.length, made?.titles);
    assert.equal(new Set(numbers).size, 22);
    assert.equal(linesOf(text)[0]?.slice(157, 163), '000007');
    assert.equal(await bench.textOf(7), text);
    assert.equal(await bench.make(), undefined, 'nothing waits any more');
  });

  test('a call makes files of the boletos that waited when it began, not of those that keep coming', async () => {
    const add = async () => {
      await bench.service.post('/charges', body());
      await bench.service.runJobs();
    };
    await add();
    const sequences: number[] = [];
    for await (const { sequence } of bench.makeAll()) {
      sequences.push(sequence);
      await add();
    }
    assert.deepEqual(sequences, [8]);
    assert.equal((await bench.make())?.sequence, 9, 'the one that came meanwhile');
  });

  test('the next file has the next sequence', async () => {
    await bench.service.post('/charges', body());
    await bench.service.runJobs();
    const made = await bench.make();
    assert.deepEqual([made?.sequence, made?.titles], [10, 1]);
  });

  test('two files made at the same time have no boleto in common', async () => {
    await Promise.all([1, 2, 3, 4].map(() => bench.service.post('/charges', body())));
    await bench.service.runJobs();
    const made = (await Promise.all([bench.make(), bench.make()])).flatMap(file => file ?? []);
    const numbers = (await Promise.all(made.map(({ sequence }) => bench.textOf(sequence)))).flatMap(numbersIn);
    assert.equal(numbers.length, 4);
    assert.equal(new Set(numbers).size, 4);
  });

  test('a boleto that is canceled before it is in a file is never sent; one that is in a file is written off', async () => {
    const early = await bench.service.post('/charges', body());
    await bench.service.runJobs();
    await bench.service.post(`/charges/${early.json.id}/cancel`, {});
    await bench.service.runJobs();
    assert.equal(await bench.make(), undefined);
    const late = await bench.service.post('/charges', body());
    await bench.service.runJobs();
    assert.ok(await bench.make());
    await bench.service.post(`/charges/${late.json.id}/cancel`, {});
    await bench.service.runJobs();
    const made = await bench.make();
    assert.equal(made?.titles, 1);
    const P = linesOf(await bench.textOf(made?.sequence ?? 0))[2] ?? '';
    assert.equal(P.slice(15, 17), '02');
    assert.equal(P.slice(39, 46), await bench.numberOf(late));
  });

  test('terms that the layout cannot carry are refused by name', async () => {
    const refused = await bench.service.post('/charges', body({ taxes: { fine: 2.125 } }));
    assert.equal(refused.json.errors?.[0]?.path, 'taxes.fine', refused.text);
  });
});

test('a start and a new file warn when the numbers of an agreement run out', async () => {
  const seen: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void seen.push(message) };
  const boletos = [agreementEntry('756', { name: RAIL, firstNumber: '9999900' })];
  const env = { TRILHO_BOLETOS: JSON.stringify(boletos) };
  const first = await startService({ mode: 'live', env, log });
  const warnings = () =>
    seen.filter(message => message.startsWith('the numbers of an agreement are running out')).length;
  try {
    assert.equal(warnings(), 0);
    await first.sql('update boleto_agreements set next_number = 9999991');
    const second = await startService({ mode: 'live', env, log, beside: first });
    await second.stop();
    assert.equal(warnings(), 1);
  } finally {
    await first.stop();
  }
});

describe('an agreement whose numbers run out', () => {
  test('logs a warning when a tenth is left, and again with the last number', async () => {
    const { log, lines } = recordingLog();
    const bench = await startFileExchange('756', { name: RAIL, firstNumber: '1', lastNumber: '20' }, [], log);
    const warned = () =>
      lines
        .filter(line => line.includes('numbers of an agreement are running out'))
        .map(line => JSON.parse(line).count);
    const { cookie } = await logIn(bench.service, 'operator');
    const headers = { ...SAME_ORIGIN, cookie, accept: 'text/html' };
    const page = async () => textOf(await (await fetch(`${bench.service.url}/dashboard`, { headers })).text());
    try {
      await bench.service.sql('update boleto_agreements set next_number = 18');
      await bench.service.post('/charges', body());
      assert.deepEqual(warned(), []);
      assert.doesNotMatch(await page(), /Numbers of boletos/);
      await bench.service.post('/charges', body());
      assert.deepEqual(warned(), [1]);
      assert.match(await page(), /Numbers of boletos 1 [\s\S]*sicoob:main 1 are left\./);
      await bench.service.post('/charges', body());
      assert.deepEqual(warned(), [1, 0]);
    } finally {
      await bench.stop();
    }
  });

  test('assigns its last number, then refuses boletos and continues with pix; no number is assigned twice', async () => {
    const bench = await startBench({ firstNumber: '9999998', lastNumber: '9999999' });
    try {
      const answers = await Promise.all([body(), body(), body()].map(one => bench.service.post('/charges', one)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 503]);
      const both = await bench.service.post('/charges', body({ methods: ['boleto', 'pix'] }));
      assert.equal(both.status, 201, both.text);
      assert.equal(both.json.boleto.status, 'FAILED');
      assert.match(both.json.boleto.reason, /numbers of the agreement sicoob:main are used up/);
    } finally {
      await bench.stop();
    }
  });

  test('refuses only the boleto without a number, not simultaneous repeats', async () => {
    const bench = await startBench({ firstNumber: '9999999', lastNumber: '9999999' });
    const known = { 'idempotency-key': 'known' };
    try {
      const first = await bench.service.post('/charges', body(), known);
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, index) => bench.service.post('/charges', body(), index % 8 === 7 ? {} : known)),
      );
      for (const [index, { status, json }] of answers.entries()) {
        if (index % 8 === 7) assert.equal(status, 503);
        else assert.equal(json.id, first.json.id);
      }
    } finally {
      await bench.stop();
    }
  });
});

test('numbers that another entry of the agreement has assigned are not assigned again, also when that entry was removed', async t => {
  const bench = await startBench({ firstNumber: '100' });
  t.after(() => bench.stop());
  await bench.service.post('/charges', body());
  await bench.service.post('/charges', body());
  const old = agreementEntry('756', { name: RAIL, firstNumber: '100', former: true });
  const startWith = (changes: Partial<AgreementEntry>) => {
    const boletos = [old, agreementEntry('756', { name: 'sicoob:new', ...changes })];
    const env = { ...PIX_KEY, TRILHO_BOLETOS: JSON.stringify(boletos) };
    return startService({ mode: 'live', env, beside: bench.service });
  };
  await assert.rejects(startWith({}), {
    name: 'StartError',
    message:
      'The numbers 100 to 101 of the agreement of sicoob:new were given by sicoob:main: set firstNumber of sicoob:new in boletos above them, or its lastNumber below.',
  });
  await assert.rejects(startWith({ firstNumber: '101' }), { name: 'StartError' });
  for (const range of [{ lastNumber: '99' }, { firstNumber: '102', lastNumber: '200' }])
    await (await startWith(range)).stop();
});

test('an entry that has assigned numbers keeps its agreement; one that has not may change it', async t => {
  const bench = await startBench({ firstNumber: '100' });
  t.after(() => bench.stop());
  const startWith = (...boletos: AgreementEntry[]) => {
    const env = { ...PIX_KEY, TRILHO_BOLETOS: JSON.stringify(boletos) };
    return startService({ mode: 'live', env, beside: bench.service });
  };
  const entry = (changes: Partial<AgreementEntry> = {}) =>
    agreementEntry('756', { name: RAIL, firstNumber: '100', ...changes });
  const other = { beneficiaryCode: '99999' };
  const known = () => bench.service.sql('select agreement, first_number, next_number from boleto_agreements');
  const agreement = `756 ${entry().agency} 00${entry().beneficiaryCode}`;

  await (await startWith(entry({ ...other, firstNumber: '7' }))).stop();
  assert.deepEqual(await known(), [
    { agreement: `756 ${entry().agency} 0099999`, first_number: '7', next_number: '7' },
  ]);
  await (await startWith(entry())).stop();
  await bench.service.post('/charges', body());
  const before = await known();
  assert.deepEqual(before, [{ agreement, first_number: '100', next_number: '101' }]);
  for (const changed of [entry(other), entry({ ...other, former: true }), agreementEntry('341', { name: RAIL })]) {
    await assert.rejects(startWith(changed), error => {
      assert(error instanceof Error);
      assert.equal(error.name, 'StartError');
      assert.match(error.message, /^sicoob:main in boletos has given out the numbers 100 to 100 of the agreement 756 /);
      return true;
    });
  }
  assert.deepEqual(await known(), before);
  // Another range of the same agreement never returns to an assigned number.
  await (await startWith(entry({ firstNumber: '1' }))).stop();
  assert.deepEqual(await known(), before);
  await (await startWith(entry({ former: true }), entry({ ...other, name: 'sicoob:new' }))).stop();
});
