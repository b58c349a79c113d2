// Chains from their settings: each fault refuses the start in one sentence that names the setting; a silent node does not.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { EvmChainSettings } from '../../src/chains/evm/entry.ts';
import { liveChains } from '../../src/chains/live-chains.ts';
import { keySigner } from '../../src/chains/signer/key-signer.ts';
import { addressesOf } from '../../src/chains/signer/recoverable.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { StartError } from '../../src/lib/errors.ts';
import { type FundedNode, PAYEE, PRIVATE_KEY, SENDER, startFundedNode } from '../harness/evm.ts';
import { recordingLog, silentLog } from '../harness/log.ts';

let funded: FundedNode | undefined;
after(() => funded?.node.stop());

const signer = keySigner(PRIVATE_KEY);
const remote = { kind: 'transaction', address: SENDER, signTransaction: async () => '0x' } as const;
const signers = new Map([
  ['hot', { signer, ...addressesOf(signer.publicKey) }],
  ['far', { signer: remote, evm: SENDER }],
]);

async function entryOf(changes: Partial<EvmChainSettings> = {}): Promise<EvmChainSettings> {
  funded ??= await startFundedNode();
  return {
    network: 'ethereum',
    providers: [{ name: 'node', url: funded.node.url }],
    senders: [{ signer: 'hot' }],
    test: { chainId: 31_337, tokens: { usdt: funded.usdt.address } },
    ...changes,
  };
}

test('each fault names its setting, and none repeats a secret', async () => {
  const { test: _, ...real } = await entryOf();
  const cases: readonly (readonly [Parameters<typeof liveChains>[0][number], string])[] = [
    [await entryOf({ senders: [{ signer: 'cold' }] }), 'senders[0].signer names no entry of signers.'],
    [real, 'providers[0].url is a node of chain 31337, not of ethereum (1).'],
    [
      await entryOf({ providers: [{ name: 'file', urlFile: '/nowhere/hunter2' }] }),
      'providers[0].urlFile cannot be read (ENOENT).',
    ],
    [
      await entryOf({ test: { chainId: 31_337, tokens: { usdt: PAYEE } } }),
      `test.tokens.usdt: the contract of usdt on ethereum, ${PAYEE}, has no code.`,
    ],
    [
      { ...(await entryOf()), network: 'tron', senders: [{ signer: 'far' }], test: { tokens: {} } },
      'senders[0].signer is a remote one, which signs for EVM networks only.',
    ],
  ];
  for (const [entry, fault] of cases) {
    await assert.rejects(
      liveChains([entry], { clock: systemClock, log: silentLog, signers }),
      error => error instanceof StartError && error.message === `chains[0].${fault}`,
      fault,
    );
  }
});

test('a silent node, a single one and a test node are warnings, and the service starts', async () => {
  const { log, lines } = recordingLog();
  const url = 'http://127.0.0.1:1/hunter2';
  const chains = await liveChains([await entryOf({ providers: [{ name: 'silent', url }] })], {
    clock: systemClock,
    log,
    signers,
  });
  assert.deepEqual(chains.ethereum?.senders, [SENDER]);
  const text = JSON.stringify(lines);
  assert.match(text, /TEST NODE/);
  assert.match(text, /a network has one provider/);
  assert.match(text, /silent\) does not answer/);
  assert.doesNotMatch(text, /hunter2/);
});
