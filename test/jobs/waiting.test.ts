// A job that waits for a bank has not failed: it logs what it waits for, with the ids, and runs again.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import type { Outcome } from '../../src/rails/rail.ts';
import type { Rails } from '../../src/rails/rails.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { recordingLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';
import { watchOf } from '../harness/watch.ts';

/** An amount that the sandbox's payer pays by itself on the due day, so that the rail is asked for payments. */
const PAYS_BY_ITSELF = 9_004;
const END_OF_DUE_DAY = '2026-12-12T02:59:59.000Z';

/** The bank's answer to a registration; when it is silent, it reports no payments either. */
let answer: Outcome;
let isSilent: boolean;
const { pix } = sandboxRails;
const watch = watchOf(pix);
const rails: Rails = {
  ...sandboxRails,
  pix: {
    ...pix,
    submit: async () => answer,
    lookup: async () => answer,
    watch: {
      ...watch,
      receiptsOf: async (...asked) => {
        if (isSilent) throw new AppError('rail_unavailable', 'The bank does not answer.');
        return watch.receiptsOf(...asked);
      },
    },
  },
};

let service: Service;
const { log, lines } = recordingLog();
const said = () => lines.map(line => JSON.parse(line));
const louderThanInfo = () => said().filter(({ level }) => !['debug', 'info'].includes(level));
before(async () => {
  service = await startService({ rails, log });
});
after(() => service.stop());
beforeEach(() => {
  lines.length = 0;
  isSilent = false;
});

async function createPix(changes = {}): Promise<string> {
  const made = await service.post('/charges', chargeBody({ methods: ['pix'], ...changes }));
  assert.equal(made.status, 201, made.text);
  return made.json.id;
}
const statusOf = async (id: string) => (await service.get(`/charges/${id}`)).json.pix.status;

test('a bank that does not answer is logged with the charge, and asked again', async () => {
  answer = { kind: 'unknown' };
  const chargeId = await createPix();
  await service.runJobs();
  assert.equal(await statusOf(chargeId), 'CREATING');
  assert.deepEqual(louderThanInfo(), []);
  const line = said().find(({ msg }) => /rail gave no answer/.test(msg));
  assert.equal(line?.level, 'info');
  assert.deepEqual([line.chargeId, line.chargeMethod, line.rail], [chargeId, 'pix', 'sandbox']);
  const waits = said().find(({ msg }) => /^job waits/.test(msg));
  assert.deepEqual([waits?.job, waits.chargeId, waits.attempt], ['charge.issue', chargeId, 1]);
  answer = { kind: 'registered' };
  await service.runJobs();
  assert.equal(await statusOf(chargeId), 'ACTIVE');
});

test('waiting for a bank that decides later logs nothing above debug', async () => {
  answer = { kind: 'accepted' };
  const chargeId = await createPix();
  lines.length = 0;
  await service.runJobs();
  assert.equal(await statusOf(chargeId), 'CREATING');
  assert.deepEqual(
    said().filter(({ level, msg }) => level !== 'debug' && msg !== 'request'),
    [],
  );
  answer = { kind: 'registered' };
  await service.runJobs();
});

test('a fault of ours is a failed job, logged with its charge', async () => {
  answer = { kind: 'registered' };
  const chargeId = await createPix();
  await service.sql(`alter table charge_methods add constraint broken check (status <> 'ACTIVE') not valid`);
  await service.runJobs();
  await service.sql('alter table charge_methods drop constraint broken');
  const failed = louderThanInfo().find(({ msg }) => /not registered; it is retried/.test(msg));
  assert.deepEqual([failed?.chargeId, failed.error.constraint], [chargeId, 'broken']);
  assert.equal('message' in failed.error, false);
});

test('payments are requested again after a bank was silent, and the job has not failed', async () => {
  answer = { kind: 'registered' };
  const chargeId = await createPix({ amountCents: PAYS_BY_ITSELF, dueAt: END_OF_DUE_DAY });
  await service.runJobs();
  isSilent = true;
  const moved = await service.post('/sandbox/clock', { advance: 'P25DT3H' });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(await statusOf(chargeId), 'ACTIVE');
  assert.deepEqual(louderThanInfo(), []);
  const waits = said().find(({ msg, job }) => job === 'charge.reconcile' && /^job waits/.test(msg));
  assert.equal(waits?.level, 'info');
  assert.equal(waits.chargeId, chargeId);
  assert.deepEqual([waits.error.code, waits.error.message], ['rail_unavailable', 'The bank does not answer.']);
  // A stack of this program is useless when a bank is late.
  assert.equal('at' in waits.error, false);
  isSilent = false;
  await service.runJobs();
  assert.equal(await statusOf(chargeId), 'PAID');
});
