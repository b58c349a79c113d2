// The entry of Tron in the settings: its key file, its limits, its senders, and each fault by the name of its setting.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { liveChains } from '../../src/chains/live-chains.ts';
import type { OpenSigner } from '../../src/chains/signer/open-signers.ts';
import { addressesOf } from '../../src/chains/signer/recoverable.ts';
import type { TronChainSettings } from '../../src/chains/tron/entry.ts';
import { StartError } from '../../src/lib/errors.ts';
import { startTronNode, type TronNode, type TronNodeOptions } from '../../src/sandbox/tron-node/start.ts';
import { type TestClock, testClock } from '../harness/clock.ts';
import { SENDER as EVM_SENDER } from '../harness/evm.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { OTHER_PAYEE, PAYEE, SENDER, SIGNER, USDT } from '../harness/tron.ts';

const API_KEY = 'hunter2-of-the-provider';
const remote = { kind: 'transaction', address: EVM_SENDER, signTransaction: async () => '0x' } as const;
const signers: ReadonlyMap<string, OpenSigner> = new Map<string, OpenSigner>([
  ['hot', { signer: SIGNER, ...addressesOf(SIGNER.publicKey) }],
  ['far', { signer: remote, evm: EVM_SENDER }],
]);

let clock: TestClock;
let node: TronNode;
let folder: string;
beforeEach(async () => {
  clock = testClock('2026-11-16T12:00:00.000Z');
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-tron-'));
});
afterEach(async () => {
  await node.stop();
  await rm(folder, { recursive: true });
});

async function startNode(options: TronNodeOptions = {}): Promise<void> {
  node = await startTronNode({ clock, ...options });
  node.setBalance(SENDER, 1_000_000_000n);
  node.setToken(USDT, { balances: { [SENDER]: 1_000_000_000n } });
}

async function keyFile(text: string, mode = 0o600): Promise<string> {
  const file = path.join(folder, 'api-key');
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

function entryOf(changes: Partial<TronChainSettings> = {}, ofProvider: object = {}): TronChainSettings {
  const { url } = node.endpoints[0];
  return {
    network: 'tron',
    providers: [{ name: 'grid', url, ...ofProvider }],
    senders: [{ signer: 'hot' }],
    ...changes,
  };
}

const open = (entry: TronChainSettings, log = silentLog) => liveChains([entry], { clock, log, signers });

test('the key of a provider is read from its file, without the line end, and opens the node; it is not logged', async () => {
  await startNode({ apiKey: API_KEY });
  const { log, lines } = recordingLog();
  const { tron } = await open(entryOf({}, { apiKeyFile: await keyFile(`${API_KEY}\n`) }), log);
  assert.deepEqual((await tron?.health())?.providers, [{ name: 'grid', isAnswering: true }]);
  assert.deepEqual(await tron?.funds(SENDER, 'usdt').then(funds => funds?.asset), 1_000_000_000n);
  assert.doesNotMatch(JSON.stringify(lines), /hunter2/);
});

test('a key in the settings themselves opens the node too, and another key does not', async () => {
  await startNode({ apiKey: API_KEY });
  const { tron: right } = await open(entryOf({}, { apiKey: API_KEY }));
  assert.equal((await right?.health())?.providers[0]?.isAnswering, true);
  const { tron: wrong } = await open(entryOf({}, { apiKey: 'another' }));
  assert.equal((await wrong?.health())?.providers[0]?.isAnswering, false);
});

test('each fault names its setting, and none repeats a secret', async () => {
  await startNode();
  const cases: readonly (readonly [TronChainSettings, RegExp])[] = [
    [
      entryOf({}, { apiKeyFile: '/nowhere/hunter2' }),
      /^chains\[0\]\.providers\[0\]\.apiKeyFile cannot be read \(ENOENT\)\.$/,
    ],
    [
      entryOf({}, { apiKeyFile: await keyFile(API_KEY, 0o644) }),
      /^chains\[0\]\.providers\[0\]\.apiKeyFile can be read by every user of this machine; /,
    ],
    [
      entryOf({ senders: [{ signer: 'far' }] }),
      /^chains\[0\]\.senders\[0\]\.signer is a remote one, which signs for EVM networks only\.$/,
    ],
    [entryOf({ senders: [{ signer: 'cold' }] }), /^chains\[0\]\.senders\[0\]\.signer names no entry of signers\.$/],
    [entryOf({ senders: [{ signer: 'hot' }, { address: EVM_SENDER }] }), /^chains\[0\]\.senders\[1\]\.address /],
  ];
  for (const [entry, message] of cases) {
    await assert.rejects(open(entry), (error: unknown) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  }
});

test('window, fee cap and former senders come from the entry', async () => {
  await startNode();
  const senders = [{ signer: 'hot' }, { address: OTHER_PAYEE }];
  const { tron } = await open(entryOf({ window: 3, maxFeeTrx: '0.000001', senders }));
  assert.deepEqual([tron?.window, tron?.senders], [3, [SENDER, OTHER_PAYEE]]);
  const intent = { sender: SENDER, symbol: 'usdt', units: 1_000_000n, to: PAYEE } as const;
  const check = await tron?.check(intent);
  assert.deepEqual(check?.kind === 'refused' && check.reason, 'fee_too_high');
  const { tron: plain } = await open(entryOf());
  assert.equal((await plain?.check(intent))?.kind, 'ready');
});
