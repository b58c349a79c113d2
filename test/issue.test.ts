// Taking a charge to its rail, when the rail is slow, deaf or unwilling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding, Outcome, Rail, Rails } from '../src/rails/rail.ts';
import { sandboxRails } from '../src/rails/sandbox.ts';
import { chargeBody } from './harness/bodies.ts';
import { startService } from './harness/service.ts';

/** A bank that does what a test says, and remembers what it was asked. */
function scriptedRails(submits: Outcome[], lookups: Finding[] = []): { rails: Rails; asked: string[] } {
  const asked: string[] = [];
  const pix: Rail<'pix'> = {
    ...sandboxRails.pix,
    submit: async (_request, { txid }) => {
      asked.push(`submit ${txid}`);
      return submits.shift() ?? { kind: 'registered' };
    },
    lookup: async (_request, { txid }) => {
      asked.push(`lookup ${txid}`);
      return lookups.shift() ?? { kind: 'unknown' };
    },
  };
  return { rails: { ...sandboxRails, pix }, asked };
}

async function issue(rails: Rails, rounds: number) {
  const service = await startService({ rails });
  try {
    const { json } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
    for (let round = 0; round < rounds; round++) {
      await service.runJobs();
    }
    return { txid: json.pix.txid, pix: (await service.get(`/charges/${json.id}`)).json.pix };
  } finally {
    await service.stop();
  }
}

test('a rejected method fails with the reason of its rail', async () => {
  const { rails } = scriptedRails([{ kind: 'rejected', reason: 'the bank does not know this receiver' }]);
  const { pix } = await issue(rails, 1);
  assert.equal(pix.status, 'FAILED');
  assert.equal(pix.success, false);
  assert.equal(pix.reason, 'the bank does not know this receiver');
});

test('a lost reply is looked up, and not sent again when it had arrived', async () => {
  const { rails, asked } = scriptedRails([{ kind: 'unknown' }], [{ kind: 'unknown' }, { kind: 'registered' }]);
  const { pix, txid } = await issue(rails, 3);
  assert.equal(pix.status, 'ACTIVE');
  assert.deepEqual(asked, [`submit ${txid}`, `lookup ${txid}`, `lookup ${txid}`]);
});

test('a lost reply is sent again, under the same reference, once a lookup shows that it never arrived', async () => {
  const { rails, asked } = scriptedRails([{ kind: 'unknown' }, { kind: 'registered' }], [{ kind: 'absent' }]);
  const { pix, txid } = await issue(rails, 2);
  assert.equal(pix.status, 'ACTIVE');
  assert.deepEqual(asked, [`submit ${txid}`, `lookup ${txid}`, `submit ${txid}`]);
});

test('a method that was only accepted stays in creation until the rail decides', async () => {
  const { rails } = scriptedRails([{ kind: 'accepted' }], [{ kind: 'accepted' }, { kind: 'registered' }]);
  assert.equal(
    (await issue(scriptedRails([{ kind: 'accepted' }], [{ kind: 'accepted' }]).rails, 2)).pix.status,
    'CREATING',
  );
  assert.equal((await issue(rails, 3)).pix.status, 'ACTIVE');
});

test('a method that was canceled before its rail had decided is taken back once the rail has taken it', async () => {
  const { rails, asked } = scriptedRails([{ kind: 'accepted' }], [{ kind: 'accepted' }, { kind: 'registered' }]);
  const withdrawn: string[] = [];
  const pix: Rail<'pix'> = {
    ...rails.pix,
    cancel: async (_request, { txid }) => {
      withdrawn.push(`after ${asked.length} questions`);
      return asked.length < 3 ? { kind: 'rejected', reason: `${txid} is not there yet` } : { kind: 'registered' };
    },
  };
  const service = await startService({ rails: { ...rails, pix } });
  try {
    const { json } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
    await service.runJobs();
    await service.send(`/charges/${json.id}/cancel`, { method: 'POST' });
    for (let round = 0; round < 3; round++) await service.runJobs();
    assert.equal(withdrawn.at(-1), 'after 3 questions');
    assert.equal((await service.get(`/charges/${json.id}`)).json.pix.status, 'CANCELED');
  } finally {
    await service.stop();
  }
});

test('a code that only the bank can make takes the place of what was made up front', async () => {
  const emv = 'made by the bank';
  const pix: Rail<'pix'> = {
    ...sandboxRails.pix,
    submit: async (_request, { txid }) => ({ kind: 'registered', instrument: { txid, emv } }),
  };
  const { pix: shown } = await issue({ ...sandboxRails, pix }, 1);
  assert.equal(`${shown.status} ${shown.emv}`, 'ACTIVE made by the bank');
});

test('a charge stays with the rail it was given to, whichever serves its method by now', async () => {
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
