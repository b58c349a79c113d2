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
