// A part of `npm run drill -- payouts`: on a real EVM node and on the simulated Tron network, with kills and faults, each
// fulfilled order is paid once and no other is paid. Transfers are counted on the chain itself.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONTROLS, runControl } from '../harness/payout-drill/controls.ts';
import { runScenario } from '../harness/payout-drill/scenarios.ts';

const SEED = 20;

/** The most delicate step, or a variant in which the fault takes effect. */
const PART = [
  ['killed after each step of sending', 19],
  ['killed after each step of looking', 7],
  ['killed after each step of giving up', 9],
  ['three nodes, killed at random', 0],
  ['replies and calls are lost', 1],
  ['a node lies', 0],
  ['nodes behind one address differ', 0],
  ['a reorganisation at each depth', 25],
  ['the token reverts', 0],
  ['the token keeps a part', 0],
  ['given up while it is mined', 1],
] as const;

describe('a part of the drill of payouts', { concurrency: 2 }, () => {
  for (const world of ['evm', 'tron'] as const) {
    for (const [kind, index] of PART) {
      test(`${world}: ${kind}`, async () => {
        const { verdict, injected } = await runScenario({ world, kind, index }, SEED);
        assert.deepEqual([...verdict.lost, ...verdict.doubled, ...verdict.wrong], []);
        assert.ok(injected.length > 0, 'a fault was injected');
        assert.ok(verdict.transfers > 0, 'something was sent');
      });
    }

    for (const control of CONTROLS) {
      test(`${world}: the drill sees that «${control}» pays twice`, async () => {
        assert.equal((await runControl(world, control, SEED)).doubled.length, 1);
      });
    }
  }
});
