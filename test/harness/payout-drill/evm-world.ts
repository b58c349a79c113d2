// A drill on a real EVM node, behind two proxies that stand for two providers.
import { keccak256 } from 'viem/utils';
import { addressOf } from '../../../src/chains/address.ts';
import { signTransaction } from '../../../src/chains/evm/transaction.ts';
import { addressesOf } from '../../../src/chains/signer/recoverable.ts';
import { callNode, startEvmNode } from '../../../src/sandbox/evm-node/evm-node.ts';
import { deployToken } from '../../../src/sandbox/evm-node/tokens.ts';
import { testClock } from '../clock.ts';
import { startRpcProxy } from '../rpc-proxy.ts';
import { EVM_BLOCK_MS, type Keys, signerOf } from './chain-of.ts';
import { denying, lagging, lossy, lying, mute } from './rpc-faults.ts';
import type { Fault, World } from './world.ts';

const NETWORK = 'ethereum';
const COINS = 1_000n * 10n ** 18n;
const TOKENS = 1_000_000n * 10n ** 6n;
const GWEI = 10n ** 9n;
const NOBODY = `0x${'0'.repeat(40)}`;
/** Where our token stores the share that it keeps without a log. */
const HIDDEN_RATE = 3n;
/** How far the final block is behind the head: twice the epoch. */
const EPOCH = 4;
/** Blocks behind the token: the deepest reorganisation of a drill must not undo the contract itself. */
const OLD_BLOCKS = 20;

const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const topic = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

export async function openEvmWorld(start: string, keys: Keys): Promise<World> {
  const clock = testClock(start);
  const signer = signerOf(keys[0]);
  const senders = keys.map(key => addressesOf(signerOf(key).publicKey).evm);
  const sender = addressesOf(signer.publicKey).evm;
  const last = senders.at(-1) ?? sender;
  const node = await startEvmNode({ slotsInEpoch: EPOCH });
  const setCoins = (owner: string, coins: bigint) => node.rpc('anvil_setBalance', [owner, hex(coins)]);
  for (const one of senders) await setCoins(one, COINS);
  const token = await deployToken(node, 'PlainToken', 6, sender, TOKENS);
  for (const one of senders) await token.setBalance(one, TOKENS);
  await node.mine(OLD_BLOCKS);
  const proxies = await Promise.all([startRpcProxy(node.url), startRpcProxy(node.url)]);
  const ask = (method: string, params: readonly unknown[]) => callNode(node.url, method, params);
  const signature = keccak256(Buffer.from('Transfer(address,address,uint256)'));
  const logsOf = async (from: string, to: string | null): Promise<{ data: string; topics: string[] }[]> =>
    node.rpc('eth_getLogs', [
      {
        address: token.address,
        fromBlock: '0x0',
        toBlock: 'latest',
        topics: [signature, topic(from), to && topic(to)],
      },
    ]);
  const logs = async (to: string | null) => (await Promise.all(senders.map(one => logsOf(one, to)))).flat();
  const setHiddenRate = (rate: bigint) =>
    node.rpc('anvil_setStorageAt', [token.address, word(HIDDEN_RATE), word(rate)]);
  const setBaseFee = (fee: bigint) => node.rpc('anvil_setNextBlockBaseFeePerGas', [hex(fee)]);
  const minimumFee = 8n;
  const payees: string[] = [];
  let left = 0n;
  let isHigh = false;

  async function useKeyElsewhere(): Promise<void> {
    const nonce = BigInt(await node.rpc('eth_getTransactionCount', [sender, 'latest']));
    const fees = { maxFeePerGas: 250n * GWEI, maxPriorityFeePerGas: 200n * GWEI };
    const transaction = { chainId: node.chainId, nonce, to: sender, value: 0n, data: '0x', gas: 21_000n, ...fees };
    const signed = await signTransaction(signer, transaction, sender);
    if (signed.kind === 'signed') await ask('eth_sendRawTransaction', [signed.raw]);
  }

  return {
    name: 'evm',
    network: NETWORK,
    spec: { kind: 'evm', urls: proxies.map(({ url }) => url), keys, chainId: node.chainId, token: token.address },
    blockMs: EVM_BLOCK_MS,
    now: clock.now,
    newAddress: random => {
      const body = Uint8Array.from({ length: 20 }, () => 1 + random.below(255));
      payees.push(Buffer.from(body).toString('hex'));
      return addressOf('evm', body);
    },
    pass: async (blocks, ms) => {
      clock.advanceMs(ms);
      for (let block = 0; block < blocks; block++) {
        if (isHigh) await setBaseFee(left);
        await node.mine();
      }
    },
    begin: async (fault, random) => {
      const lags = (): number => random.below(4);
      const rules: { readonly [F in Fault]?: () => unknown } = {
        'lost replies': () => {
          for (const proxy of proxies) proxy.rule = lossy(random);
        },
        'only sends lose their replies': () => {
          for (const proxy of proxies) proxy.rule = mute;
        },
        lies: () => {
          proxies[0].rule = lying(random);
        },
        lagging: () => {
          const lag = 1 + random.below(6);
          proxies[0].rule = lagging(ask, () => lag);
        },
        'load-balanced': () => {
          for (const proxy of proxies) proxy.rule = lagging(ask, lags);
        },
        // Sometimes above the cap of the settings, 300.
        'high fees': async () => {
          left = random.pick([20n, 80n, 250n, 400n]) * GWEI;
          isHigh = true;
          await setBaseFee(left);
        },
        'empty wallet': () => (random.chance(0.5) ? token.setBalance(last, 0n) : setCoins(last, 0n)),
        'foreign use of the key': useKeyElsewhere,
        'reverting token': () => Promise.all(senders.map(one => token.setBalance(one, 1n))),
        'keeping token': () => setHiddenRate(100n),
        'denied payee': () => {
          for (const proxy of proxies) proxy.rule = denying(payees[0] ?? '');
        },
      };
      const rule = rules[fault];
      await rule?.();
      return rule !== undefined;
    },
    mend: async () => {
      for (const proxy of proxies) proxy.rule = () => undefined;
      if (isHigh) await setBaseFee(minimumFee);
      isHigh = false;
      await setHiddenRate(0n);
      for (const one of senders) {
        if ((await token.balanceOf(one)) < 10n ** 6n) await token.setBalance(one, TOKENS);
        await setCoins(one, COINS);
      }
    },
    reorganise: async depth => {
      await node.rpc('anvil_reorg', [depth, []]);
    },
    landed: async address => {
      const found = await logs(address);
      return { times: found.length, units: found.reduce((sum, { data }) => sum + BigInt(data), 0n) };
    },
    outgoing: async () => {
      const found = await logs(null);
      // What the token's issuer keeps is not a transfer of ours.
      return found.filter(({ topics }) => topics[2] !== topic(NOBODY)).length;
    },
    stop: async () => {
      await Promise.all(proxies.map(proxy => proxy.stop()));
      await node.stop();
    },
  };
}
