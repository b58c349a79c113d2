// The nodes of a network: the calls to them, and the answers that payouts share for a moment.
import type { Clock } from '../../lib/clock.ts';
import {
  type Account,
  type ChainParameters,
  type ConstantCall,
  readAccount,
  readBlock,
  readBroadcast,
  readConstantCall,
  readContractRet,
  readInfo,
  readIsKnown,
  readParameters,
  readSignedBytes,
  type TransactionInfo,
  type TronBlock,
} from './answers.ts';
import { hexAddress } from './hex-address.ts';
import type { Asked, Provider, Reader } from './provider.ts';

/** `solid`: the part of the chain that two thirds of the producers have built upon, and that no fork undoes. */
export type Side = 'wallet' | 'walletsolidity';

export type Heads = { readonly head: TronBlock; readonly solid: TronBlock };

/** A read-only call of a contract. */
type Call = { readonly from: string; readonly contract: string; readonly data: string };

export type Node = {
  readonly name: string;
  /** Both are at most `SHARED_MS` old. */
  heads(): Promise<Asked<Heads>>;
  block(side: Side, number: number): Promise<Asked<TronBlock | 'absent'>>;
  info(side: Side, hash: string): Promise<Asked<TransactionInfo | 'absent'>>;
  contractRet(side: Side, hash: string): Promise<Asked<string>>;
  /** The bytes of a transaction in the solidified chain. */
  signedBytes(hash: string): Promise<Asked<{ readonly rawData: Buffer; readonly signature: Buffer } | 'absent'>>;
  isWaiting(hash: string): Promise<Asked<boolean>>;
  /** At the head, unless a side is given. */
  account(address: string, side?: Side): Promise<Asked<Account>>;
  /** Whole blocks from one height to another, as `read` reads them; solidified ones, unless a side is given. */
  blocks<T extends { readonly numbers: readonly number[] }>(
    from: number,
    to: number,
    read: Reader<T>,
    side?: Side,
  ): Promise<Asked<T>>;
  call(call: Call, side?: Side): Promise<Asked<ConstantCall>>;
  /** The newest solidified block, as it is now. */
  solid(): Promise<Asked<TronBlock>>;
  parameters(): Promise<Asked<ChainParameters>>;
  broadcast(raw: string): Promise<Asked<{ readonly isTaken: boolean; readonly message: string }>>;
};

const SHARED_MS = 1_000;
/** They change by a vote that takes days. */
const PARAMETERS_SHARED_MS = 60_000;

/** Ten full blocks, on a slow line. */
const WHOLE_BLOCKS = { maxBytes: 64 * 1024 * 1024, timeoutSeconds: 60 };

/** With `genesisId`, a node of another network is never used. */
export function nodeOf(provider: Provider, clock: Clock, genesisId?: string): Node {
  const { name, ask } = genesisId === undefined ? provider : ofNetwork(provider, clock, genesisId);
  const askBlock = (side: Side, body: Readonly<Record<string, unknown>>) =>
    ask(`${side}/getblock`, { ...body, detail: false }, readBlock);
  const askHead = (side: Side) => ask(`${side}/getblock`, { detail: false }, answer => someBlock(readBlock(answer)));

  return {
    name,
    heads: shared(clock, SHARED_MS, async () => {
      const [head, solid] = await Promise.all([askHead('wallet'), askHead('walletsolidity')]);
      if (head.failure !== undefined) return head;
      if (solid.failure !== undefined) return solid;
      return { value: { head: head.value, solid: solid.value } };
    }),
    block: async (side, number) => {
      const asked = await askBlock(side, { id_or_num: String(number) });
      if (asked.failure !== undefined || asked.value === 'absent' || asked.value.number === number) return asked;
      return { failure: `${name} answered with another block than the one asked for` };
    },
    info: (side, hash) => ask(`${side}/gettransactioninfobyid`, { value: hash }, readInfo(hash)),
    contractRet: (side, hash) => ask(`${side}/gettransactionbyid`, { value: hash }, readContractRet(hash)),
    signedBytes: hash => ask('walletsolidity/gettransactionbyid', { value: hash }, readSignedBytes(hash)),
    isWaiting: hash => ask('wallet/gettransactionfrompending', { value: hash }, readIsKnown(hash)),
    account: (address, side = 'wallet') =>
      ask(`${side}/getaccount`, { address: hexAddress(address) }, readAccount(hexAddress(address))),
    blocks: async (from, to, read, side = 'walletsolidity') => {
      const body = { startNum: from, endNum: to + 1 };
      const asked = await ask(`${side}/getblockbylimitnext`, body, read, WHOLE_BLOCKS);
      if (asked.failure !== undefined) return asked;
      const isWhole = asked.value.numbers.length === to - from + 1;
      const isInOrder = asked.value.numbers.every((number, index) => number === from + index);
      return isWhole && isInOrder ? asked : { failure: `${name} does not show the blocks ${from} to ${to}` };
    },
    solid: () => askHead('walletsolidity'),
    call: ({ from, contract, data }, side = 'wallet') =>
      ask(
        `${side}/triggerconstantcontract`,
        { owner_address: hexAddress(from), contract_address: hexAddress(contract), data },
        readConstantCall,
      ),
    parameters: shared(clock, PARAMETERS_SHARED_MS, () => ask('wallet/getchainparameters', {}, readParameters)),
    broadcast: raw => ask('wallet/broadcasthex', { transaction: raw }, readBroadcast),
  };
}

/** The first answer, asking one node after the other; the failures of all when no node answers. */
export async function firstAnswer<T>(
  nodes: readonly Node[],
  ask: (node: Node) => Promise<Asked<T>>,
): Promise<Asked<T>> {
  const failures: string[] = [];
  for (const node of nodes) {
    const asked = await ask(node);
    if (asked.failure === undefined) return asked;
    failures.push(asked.failure);
  }
  return { failure: failures.join('; ') };
}

/** How long a check of the provider's network is valid: behind one address there may be another node tomorrow. */
const VERIFIED_MS = 60_000;

/** Asks for the first block before anything else, and again after every failure: its id names the network. */
function ofNetwork(provider: Provider, clock: Clock, genesisId: string): Provider {
  let verifiedAtMs: number | undefined;
  let verifying: Promise<string | undefined> | undefined;
  let failures = 0;

  async function verify(): Promise<string | undefined> {
    const asked = await provider.ask('wallet/getblock', { id_or_num: '0', detail: false }, readBlock);
    if (asked.failure !== undefined) return asked.failure;
    // A node without old blocks cannot say; its tokens are checked anyway.
    if (asked.value !== 'absent' && asked.value.id !== genesisId) return `${provider.name} ${OTHER_NETWORK}`;
    verifiedAtMs = clock.now().getTime();
    return undefined;
  }

  async function objection(): Promise<string | undefined> {
    const ageMs = clock.now().getTime() - (verifiedAtMs ?? Number.NEGATIVE_INFINITY);
    if (ageMs >= 0 && ageMs < VERIFIED_MS) return undefined;
    verifying ??= verify().finally(() => {
      verifying = undefined;
    });
    return verifying;
  }

  return {
    name: provider.name,
    ask: async (...asked) => {
      const failure = await objection();
      if (failure !== undefined) return { failure };
      const before = failures;
      const answer = await provider.ask(...asked);
      if (answer.failure !== undefined) {
        failures++;
        verifiedAtMs = undefined;
        return answer;
      }
      // It failed meanwhile, so what has answered may be another node.
      const later = failures === before ? undefined : await objection();
      return later === undefined ? answer : { failure: later };
    },
  };
}

export const OTHER_NETWORK = 'is a node of another network';

function someBlock(block: TronBlock | 'absent' | undefined): TronBlock | undefined {
  return block === 'absent' ? undefined : block;
}

/** Callers within the time share one answer; a failure is not kept. */
function shared<T>(clock: Clock, forMs: number, ask: () => Promise<Asked<T>>): () => Promise<Asked<T>> {
  let kept: { readonly atMs: number; readonly asked: Promise<Asked<T>> } | undefined;
  return async () => {
    const nowMs = clock.now().getTime();
    if (kept && nowMs >= kept.atMs && nowMs - kept.atMs < forMs) return kept.asked;
    const entry = { atMs: nowMs, asked: ask() };
    kept = entry;
    const asked = await entry.asked;
    if (asked.failure !== undefined && kept === entry) kept = undefined;
    return asked;
  };
}
