// The section `chains` of the file of TRILHO_CONFIG: what it gives, and that every fault in it has its path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NETWORKS } from '../../src/chains/asset.ts';
import { readConfig } from '../../src/config/config.ts';
import { readSettings } from '../../src/config/read.ts';
import { StartError } from '../../src/lib/errors.ts';
import { requireTestNodes } from '../../src/sandbox/chains/test-nodes.ts';
import { faultsOf, readFrom } from '../harness/config-faults.ts';

const LIVE = { TRILHO_MODE: 'live', TRILHO_CONFIG: 'trilho.json' };
const ADDRESS = '0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b';
const ETHEREUM = {
  network: 'ethereum',
  providers: [{ name: 'own', url: 'http://10.0.0.7:8545' }],
  senders: [{ signer: 'hot' }],
};
const TRON = {
  network: 'tron',
  providers: [{ name: 'grid', url: 'https://api.example' }],
  senders: [{ signer: 'hot' }],
};

const filesOf = (chains: unknown) => ({ 'trilho.json': JSON.stringify({ chains }) });
const faultsIn = (chains: unknown) => faultsOf(LIVE, filesOf(chains));

test('chains come from the file in its order; without it there are no chains', () => {
  const full = {
    ...ETHEREUM,
    providers: [{ name: 'own', urlFile: 'node-url', batchSize: 1 }],
    senders: [{ signer: 'hot' }, { address: ADDRESS }],
    depth: 20,
    window: 16,
    maxAttempts: 5,
    maxFeeGwei: '120.5',
    minTipGwei: '0.05',
    maxGas: 150_000,
    test: { chainId: 31_337, blockMs: 1_000, tokens: { usdt: ADDRESS } },
  };
  const tron = { ...TRON, providers: [{ ...TRON.providers[0], apiKeyFile: 'key' }], window: 4, maxFeeTrx: '30' };
  const chains = [full, tron];
  assert.deepEqual(readConfig(LIVE, readFrom(filesOf(chains))).chains, chains);
  assert.deepEqual(readConfig({ TRILHO_MODE: 'live' }).chains, []);
});

test('every fault is reported with its path, by the family of the network, and without its value', () => {
  const faults = faultsIn([
    { ...ETHEREUM, providers: [], senders: [], maxFeeTrx: '1', depth: 0, window: 1.5, maxFeeGwei: 5, minTipGwei: '-1' },
    {
      ...ETHEREUM,
      providers: [
        { name: 'a', url: 'http://node.example/hunter2' },
        { name: 'a', url: 'https://u:hunter2@node.example', urlFile: 'x' },
        { name: 'hunter 2' },
      ],
      senders: [{ address: ADDRESS }, { address: 'hunter2' }, { signer: 'hot', address: ADDRESS }, {}],
    },
    { ...TRON, depth: 5, senders: [{ signer: 'hot' }, { address: ADDRESS }] },
    { network: 'hunter2' },
    {},
  ]);
  const url = 'must be a URL with https (http only to this machine and private networks), without user and password.';
  assert.deepEqual(
    faults.toSorted(),
    [
      'chains must have each network once.',
      'chains[0].providers must not be empty.',
      'chains[0].senders must not be empty.',
      'chains[0].maxFeeTrx is not a known field.',
      'chains[0].depth must be at least 1.',
      'chains[0].window must be a whole number.',
      'chains[0].maxFeeGwei must be text.',
      'chains[0].minTipGwei must be a decimal above zero as text, such as "0.05".',
      'chains[1].providers must name each provider differently.',
      `chains[1].providers[0].url ${url}`,
      `chains[1].providers[1].url ${url}`,
      'chains[1].providers[1] must have url or urlFile, and not both.',
      'chains[1].providers[2] must have url or urlFile, and not both.',
      'chains[1].providers[2].name must be 1 to 40 letters, digits, . _ or -.',
      'chains[1].senders must begin with a sender that has a signer.',
      'chains[1].senders[1].address must be 0x and 40 hexadecimal digits.',
      'chains[1].senders[2] must have signer or address, and not both.',
      'chains[1].senders[3] must have signer or address, and not both.',
      'chains[2].depth is not a known field.',
      'chains[2].senders[1].address must be an address of Tron.',
      `chains[3].network must be one of ${NETWORKS.join(', ')}.`,
      'chains[4].network is required.',
    ]
      .map(fault => `TRILHO_CONFIG: ${fault}`)
      .toSorted(),
  );
});

test('addresses of providers are never shown', () => {
  const url = 'https://node.example/hunter2';
  const chains = [{ ...ETHEREUM, providers: [{ name: 'a', url }] }];
  const { effective } = readSettings(LIVE, readFrom(filesOf(chains)));
  assert.equal(effective.find(({ setting }) => setting.name === 'TRILHO_CHAINS')?.setting.isSecret, true);
});

test('a sandbox sends only on test nodes, and on no node with the chain id of a real network', () => {
  const refusalOf = (chains: readonly object[]) => {
    const config = readConfig({ TRILHO_MODE: 'sandbox', TRILHO_CHAINS: JSON.stringify(chains) });
    try {
      requireTestNodes(config.chains);
      return '';
    } catch (error) {
      return error instanceof StartError ? error.message : String(error);
    }
  };
  const test = (chainId: number) => ({ ...ETHEREUM, test: { chainId, tokens: {} } });
  assert.equal(refusalOf([test(31_337)]), '');
  assert.match(refusalOf([test(31_337), { ...TRON }]), /^chains\[1\]: a sandbox sends on Tron/);
  assert.match(refusalOf([ETHEREUM]), /^chains\[0\] has no test: /);
  for (const chainId of [1, 137, 8453, 42_161, 56]) {
    assert.match(refusalOf([test(chainId)]), /^chains\[0\]\.test\.chainId is that of a real network/);
  }
});
