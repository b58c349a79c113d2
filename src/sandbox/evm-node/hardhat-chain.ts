// A chain of Hardhat's EVM with features that only anvil has: finality some blocks behind the head, reorganisations on demand, and a
// chain that survives a restart, as a journal of every change.
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
import type { ChainOptions, NodeReply } from './running-node.ts';

export type HardhatChain = {
  call(method: string, params: readonly unknown[]): Promise<NodeReply>;
  close(): Promise<void>;
};

/** What a line of the journal holds: the first block's time, a call that changes something, or a block. */
type Entry =
  | { readonly genesis: number }
  | { readonly method: string; readonly params: readonly unknown[] }
  | { readonly time: string; readonly hash: string };

/** How far back a reorganisation can go. */
const MAX_REORG = 256;
/** Methods of anvil that Hardhat has under another name. They change state, so they are in the journal. */
const RENAMED: Readonly<Record<string, string>> = {
  anvil_setBalance: 'hardhat_setBalance',
  anvil_setCode: 'hardhat_setCode',
  anvil_setStorageAt: 'hardhat_setStorageAt',
  anvil_setNextBlockBaseFeePerGas: 'hardhat_setNextBlockBaseFeePerGas',
  anvil_dropTransaction: 'hardhat_dropTransaction',
};
const SENDS = ['eth_sendRawTransaction', 'eth_sendTransaction'];

export async function openHardhatChain(options: ChainOptions): Promise<HardhatChain> {
  const { chainId, slotsInEpoch, stateFile: journal } = options;
  const kept = journal !== undefined && existsSync(journal) ? readJournal(journal) : [];
  const [first = { genesis: Math.floor(Date.now() / 1_000) }, ...done] = kept;
  const connection = await connect(chainId, first);
  // biome-ignore lint/suspicious/noExplicitAny: the result depends on the method.
  const ask = (method: string, params: readonly unknown[] = []): Promise<any> =>
    connection.provider.request({ method, params: [...params] });
  /** Taken right before each of the newest blocks was mined. */
  const snapshots: string[] = [];
  /** Raw transactions by hash, to put pending ones back after a reorganisation. */
  const raws = new Map<string, string>();

  function note(entry: Entry): void {
    if (journal !== undefined) appendFileSync(journal, `${JSON.stringify(entry)}\n`);
  }

  async function mineOne(time?: string): Promise<{ time: string; hash: string }> {
    snapshots.push(await ask('evm_snapshot'));
    if (snapshots.length > MAX_REORG) snapshots.shift();
    await ask('evm_mine', time === undefined ? [] : [time]);
    const { timestamp, hash } = await ask('eth_getBlockByNumber', ['latest', false]);
    return { time: timestamp, hash };
  }

  async function reorganise(depth: number): Promise<void> {
    if (journal !== undefined) throw new Error('A chain that survives restarts cannot be reorganised.');
    const snapshot = snapshots.at(-depth);
    if (snapshot === undefined) throw new Error(`The chain cannot go back by ${depth} blocks.`);
    const waiting = await pendingHashes();
    snapshots.splice(-depth);
    await ask('evm_revert', [snapshot]);
    for (const hash of await pendingHashes()) await ask('hardhat_dropTransaction', [hash]);
    // Otherwise a block without transactions would be mined again with the same hash.
    await ask('hardhat_setPrevRandao', [`0x${randomBytes(32).toString('hex')}`]);
    for (let block = 0; block < depth; block++) await mineOne();
    for (const raw of waiting.flatMap(hash => raws.get(hash) ?? [])) await ask('eth_sendRawTransaction', [raw]);
  }

  async function pendingHashes(): Promise<string[]> {
    return (await ask('eth_pendingTransactions')).map(({ hash }: { hash: string }) => hash);
  }

  /** The number of the block that is this many epochs behind the head. */
  async function blockBehind(epochs: number): Promise<string> {
    const head = Number(await ask('eth_blockNumber'));
    return hex(Math.max(0, head - epochs * slotsInEpoch));
  }

  /** Replaces the block tags that Hardhat takes for the head. */
  async function withBlockNumbers(params: readonly unknown[]): Promise<readonly unknown[]> {
    return Promise.all(
      params.map(param => (param === 'finalized' ? blockBehind(2) : param === 'safe' ? blockBehind(1) : param)),
    );
  }

  async function run(method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === 'anvil_mine') {
      for (let left = Number(params[0] ?? 1); left > 0; left--) note(await mineOne());
      return null;
    }
    if (method === 'anvil_reorg') return reorganise(Number(params[0]));
    const hardhatMethod = RENAMED[method];
    const isChange = hardhatMethod !== undefined || SENDS.includes(method);
    const result = await ask(hardhatMethod ?? method, await withBlockNumbers(params));
    if (isChange) note({ method, params });
    if (method === 'eth_sendRawTransaction') raws.set(result, String(params[0]));
    return result;
  }

  async function repeat(entry: Entry): Promise<void> {
    if ('genesis' in entry) return;
    if ('method' in entry) {
      await ask(RENAMED[entry.method] ?? entry.method, entry.params);
    } else if ((await mineOne(entry.time)).hash !== entry.hash) {
      throw new Error(`The chain in ${journal} cannot be restored: another version of the node created it.`);
    }
  }

  for (const entry of done) await repeat(entry);
  if (kept.length === 0) note(first);
  let last: Promise<unknown> = Promise.resolve();
  return {
    call(method, params) {
      // One at a time: a caller must not see a reorganisation half done.
      const reply = last.then(() => run(method, params)).then(result => ({ result }), errorOf);
      last = reply;
      return reply;
    },
    close: () => connection.close(),
  };
}

function errorOf(error: unknown): NodeReply {
  const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
  return { error: { code: typeof code === 'number' ? code : INTERNAL_ERROR, message, data } };
}

/** By JSON-RPC. */
const INTERNAL_ERROR = -32_603;

/** Takes a third of a second, and serves every chain of this process. */
let environment: ReturnType<typeof createHardhatRuntimeEnvironment> | undefined;

async function connect(chainId: number, first: Entry) {
  const genesis = 'genesis' in first ? first.genesis : 0;
  const node = {
    type: 'edr-simulated',
    accounts: { count: 1 },
    mining: { auto: false, interval: 0 },
    allowBlocksWithSameTimestamp: true,
  } as const;
  // It needs a project folder; use this one, regardless of where the command was started.
  environment ??= createHardhatRuntimeEnvironment({ networks: { node } }, {}, import.meta.dirname);
  const override = { chainId, initialDate: new Date(genesis * 1_000) };
  return (await environment).network.create({ network: 'node', chainType: 'l1', override });
}

/** Drops a last line that a crash truncated: its caller got no answer. */
function readJournal(file: string): Entry[] {
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  truncateSync(file, Buffer.byteLength(whole));
  return whole
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
