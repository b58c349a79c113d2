// Submitting a charge to its rail when the rail is slow, silent or refuses.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { ISSUE } from '../../src/charges/issue/issue-job.ts';
import { handleJob } from '../../src/jobs/job.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS } from '../../src/nouns.ts';
import type { Finding, Outcome, Rail } from '../../src/rails/rail.ts';
import type { Rails } from '../../src/rails/rails.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { until } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';

/** A bank that answers what a test says, and records the calls. */
function scriptedRails(submits: Outcome[], lookups: Finding[] = []): { rails: Rails; asked: string[] } {
  const asked: string[] = [];
  const pix: Rail<'pix'> = {
    ...sandboxRails.pix,
    submit: async (_request, txid) => {
      asked.push(`submit ${txid}`);
      return submits.shift() ?? { kind: 'registered' };
    },
    lookup: async (_request, txid) => {
      asked.push(`lookup ${txid}`);
      return lookups.shift() ?? { kind: 'unknown' };
    },
  };
  return { rails: { ...sandboxRails, pix }, asked };
}

/** A service in which each charge has the bank of its test. */
let shared: Service;
const banks = new Map<string, Rail<'pix'>>();
before(async () => {
  const bankOf = (txid: string) => banks.get(txid) ?? sandboxRails.pix;
  const pix: Rail<'pix'> = {
    ...sandboxRails.pix,
    submit: (request, txid) => bankOf(txid).submit(request, txid),
    lookup: (request, txid) => bankOf(txid).lookup(request, txid),
    cancel: (request, txid) => bankOf(txid).cancel(request, txid),
  };
  shared = await startService({ rails: { ...sandboxRails, pix } });
});
after(() => shared.stop());

async function make({ pix }: Rails): Promise<{ id: string; txid: string }> {
  const { json } = await shared.post('/charges', chargeBody({ methods: ['pix'] }));
  banks.set(json.pix.txid, pix);
  return { id: json.id, txid: json.pix.txid };
}

async function issue(rails: Rails, rounds: number) {
  const { id, txid } = await make(rails);
  for (let round = 0; round < rounds; round++) await shared.runJobs();
  return { txid, pix: (await shared.get(`/charges/${id}`)).json.pix };
}

test('a rejected method fails with the reason of its rail', async () => {
  const { rails } = scriptedRails([{ kind: 'rejected', reason: 'the bank does not know this receiver' }]);
  const { pix } = await issue(rails, 1);
  assert.equal(pix.status, 'FAILED');
  assert.equal(pix.success, false);
  assert.equal(pix.reason, 'the bank does not know this receiver');
});

test('after a lost reply the charge is looked up, and not sent again if it had arrived', async () => {
  const { rails, asked } = scriptedRails([{ kind: 'unknown' }], [{ kind: 'unknown' }, { kind: 'registered' }]);
  const { pix, txid } = await issue(rails, 3);
  assert.equal(pix.status, 'ACTIVE');
  assert.deepEqual(asked, [`submit ${txid}`, `lookup ${txid}`, `lookup ${txid}`]);
});

test('after a lost reply the charge is sent again, under the same reference, once a lookup shows that it never arrived', async () => {
  const { rails, asked } = scriptedRails([{ kind: 'unknown' }, { kind: 'registered' }], [{ kind: 'absent' }]);
  const { pix, txid } = await issue(rails, 2);
  assert.equal(pix.status, 'ACTIVE');
  assert.deepEqual(asked, [`submit ${txid}`, `lookup ${txid}`, `submit ${txid}`]);
});

test('an unavailable rail is called again without a lookup, since nothing was sent', async () => {
  const { rails, asked } = scriptedRails([{ kind: 'unavailable' }, { kind: 'registered' }]);
  const { pix, txid } = await issue(rails, 2);
  assert.equal(pix.status, 'ACTIVE');
  assert.deepEqual(asked, [`submit ${txid}`, `submit ${txid}`]);
});

test('a method that was withdrawn at the bank in the meantime fails', async () => {
  const { rails } = scriptedRails([{ kind: 'unknown' }], [{ kind: 'withdrawn' }]);
  const { pix } = await issue(rails, 2);
  assert.equal(`${pix.status}: ${pix.reason}`, 'FAILED: It was withdrawn at the bank.');
});

test('a method that was only accepted stays in creation until the rail decides', async () => {
  const { rails } = scriptedRails([{ kind: 'accepted' }], [{ kind: 'accepted' }, { kind: 'registered' }]);
  assert.equal(
    (await issue(scriptedRails([{ kind: 'accepted' }], [{ kind: 'accepted' }]).rails, 2)).pix.status,
    'CREATING',
  );
  assert.equal((await issue(rails, 3)).pix.status, 'ACTIVE');
});

test('a method that was canceled before its rail had decided is withdrawn once the rail has registered it', async () => {
  const { rails, asked } = scriptedRails([{ kind: 'accepted' }], [{ kind: 'accepted' }, { kind: 'registered' }]);
  const withdrawn: string[] = [];
  const pix: Rail<'pix'> = {
    ...rails.pix,
    cancel: async () => {
      withdrawn.push(`after ${asked.length} questions`);
      return asked.length < 3 ? { kind: 'too_late' } : { kind: 'withdrawn' };
    },
  };
  const { id } = await make({ ...rails, pix });
  await shared.runJobs();
  await shared.send(`/charges/${id}/cancel`, { method: 'POST' });
  for (let round = 0; round < 3; round++) await shared.runJobs();
  assert.equal(withdrawn.at(-1), 'after 3 questions');
  assert.equal((await shared.get(`/charges/${id}`)).json.pix.status, 'CANCELED');
});

test('a code that the bank makes replaces the one made in advance', async () => {
  const emv = 'made by the bank';
  const pix: Rail<'pix'> = {
    ...sandboxRails.pix,
    submit: async () => ({ kind: 'registered', instrument: { emv } }),
  };
  const { pix: shown } = await issue({ ...sandboxRails, pix }, 1);
  assert.equal(`${shown.status} ${shown.emv}`, 'ACTIVE made by the bank');
});

test('a charge stays with its rail when another rail serves its method now', async () => {
  const { rails: old, asked } = scriptedRails([{ kind: 'registered' }]);
  const service = await startService({
    rails: { ...sandboxRails, pix: { ...sandboxRails.pix, name: 'new' }, former: [old.pix] },
  });
  try {
    const { json } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
    await service.sql(`update charge_methods set rail = 'sandbox' where charge_id = $1`, [json.id]);
    await service.runJobs();
    assert.equal(asked.length, 1);
  } finally {
    await service.stop();
  }
});

describe('many methods that are submitted at the same time', () => {
  const COUNT = 40;
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function makeCharges(): Promise<string[]> {
    const made = await Promise.all(Array.from({ length: COUNT }, () => service.post('/charges', chargeBody())));
    return made.map(({ json }) => json.id);
  }

  /** How many methods of these charges have each status. */
  async function standing(ids: readonly string[]): Promise<Record<string, number>> {
    const rows = await service.sql<{ status: string; count: number }>(
      'select status, count(*)::int as count from charge_methods where charge_id = any($1) group by status order by status',
      [ids],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** The jobs that submit methods. */
  function jobs(where: string): Promise<{ state: string; chargeIds: string[] }[]> {
    return service.sql(
      `select state, array(select m ->> 'chargeId' from jsonb_array_elements(data -> 'charges') m) as "chargeIds"
         from pgboss.job where name = 'charge.issue' and ${where}`,
    );
  }

  test('are submitted in one job for all that were written together', async () => {
    await service.runJobs();
    const ids = await makeCharges();
    const waiting = await jobs(`state = 'created'`);
    const [row] = await service.sql<{ transactions: number }>(
      `select count(distinct xmin::text)::int as transactions from charge_timers where charge_id = any($1)`,
      [ids],
    );
    assert.equal(waiting.length, row!.transactions, 'those that were written together are submitted together');
    assert.deepEqual(waiting.flatMap(({ chargeIds }) => chargeIds).toSorted(), ids.toSorted());
    assert.equal(await service.runJobs(), row!.transactions);
    assert.deepEqual(await jobs(`state <> 'completed'`), []);
  });

  test('are written in few transactions, each charge completely and with one event', async () => {
    const ids = await makeCharges();
    await service.runJobs();
    assert.deepEqual(await standing(ids), { ACTIVE: COUNT, REGISTERED: COUNT });
    const [{ transactions, active }] = (await service.sql<{ transactions: number; active: number }>(
      `select (select count(distinct xmin::text)::int from charge_methods where charge_id = any($1)) as transactions,
              (select count(*)::int from events where object_id = any($1) and type = 'charge.active') as active`,
      [ids],
    )) as [{ transactions: number; active: number }];
    assert.ok(transactions < COUNT / 4, `${transactions} transactions`);
    assert.equal(active, COUNT);
  });

  test('with one that the database refuses: only that one fails, and is retried', async () => {
    const ids = await makeCharges();
    const poison = ids[7]!;
    await service.sql(
      `alter table charge_methods add constraint no_poison check (charge_id <> '${poison}' or status = 'CREATING')`,
    );
    await service.runJobs();
    assert.deepEqual(await standing(ids), { ACTIVE: COUNT - 1, CREATING: 2, REGISTERED: COUNT - 1 });
    const left = await jobs(`state < 'completed'`);
    assert.deepEqual(
      left.map(({ state, chargeIds }) => [state, chargeIds]),
      [['retry', [poison]]],
      'it has a job of its own',
    );
    await service.sql('alter table charge_methods drop constraint no_poison');
    await service.runJobs();
    assert.deepEqual(await standing(ids), { ACTIVE: COUNT, REGISTERED: COUNT });
  });

  test('by a worker that is stopped: it takes no more, and leaves the rest for another', async () => {
    const ids = await makeCharges();
    const bank = Promise.withResolvers<void>();
    let taken = 0;
    const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
    const queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
    queue.work([
      handleJob(ISSUE, async () => {
        taken++;
        await bank.promise;
        throw new Error('the bank has gone away');
      }),
    ]);
    await until('a job to be taken', () => taken > 0);
    const stopped = queue.stop();
    bank.resolve();
    await stopped;
    await db.close();
    await service.runJobs();
    assert.deepEqual(await standing(ids), { ACTIVE: COUNT, REGISTERED: COUNT });
  });

  for (const held of ['charges where id', 'charge_methods where charge_id']) {
    test(`with one whose row another transaction locks in ${held.split(' ')[0]}: only that one waits`, async () => {
      const ids = await makeCharges();
      const [first, ...others] = ids;
      const holder = new pg.Client({ connectionString: service.databaseUrl });
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query(`select from ${held} = $1 for update`, [first]);
        let isDone = false;
        const running = service.runJobs().then(() => {
          isDone = true;
        });
        while (!isDone && (await standing(others))['CREATING'] !== undefined);
        assert.equal(isDone, false, 'the locked one still waits');
        assert.deepEqual(await standing([first!]), { CREATING: 2 });
        await holder.query('rollback');
        await running;
        assert.deepEqual(await standing(ids), { ACTIVE: COUNT, REGISTERED: COUNT });
      } finally {
        await holder.end();
      }
    });
  }
});

test('the event that a charge is active shows both of its methods as they are then', async () => {
  const { status, json, text } = await shared.post('/charges', chargeBody({ methods: ['boleto', 'pix'] }));
  assert.equal(status, 201, text);
  await shared.runJobs();
  const events = await shared.sql<{ type: string; object: { boleto: Shown; pix: Shown } }>(
    'select type, object from events where object_id = $1 order by sequence',
    [json.id],
  );
  assert.deepEqual(
    events.map(({ type, object }) => [type, object.boleto.status, object.pix.status]),
    [
      ['charge.created', 'CREATING', 'CREATING'],
      ['charge.active', 'REGISTERED', 'ACTIVE'],
    ],
  );
});

type Shown = { readonly status: string };
