// Starts a simulated Tron network: one chain, and as many addresses as asked for. It decodes real bytes, recovers signatures
// and applies the rules of java-tron, so that the real network would accept what passes here.
import type { Clock } from '../../lib/clock.ts';
import { systemClock } from '../../lib/clock.ts';
import { fromBase58, toBase58 } from './base58.ts';
import { type Blocks, createBlocks, type NodeBlock, SLOT_MS } from './blocks.ts';
import { type Endpoint, openEndpoint } from './endpoint.ts';
import { PARAMETERS, type Parameters, type Token } from './state.ts';

export type TronNodeOptions = {
  readonly clock?: Clock;
  /** Whether blocks follow the clock, or are made only by `produce`. */
  readonly blocks?: 'clock' | 'manual';
  /** How many addresses; one when absent. */
  readonly endpoints?: number;
  /** The port of the first address; the others use free ones. */
  readonly port?: number;
  /** Required as `TRON-PRO-API-KEY`. */
  readonly apiKey?: string;
  readonly parameters?: Partial<Parameters>;
  /** The id of the block of height 0; that of the main network when absent. */
  readonly genesisId?: string;
  readonly seed?: number;
};

/** A movement on the chain as it is now. */
type NodeTransfer = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  /** The contract of the token; absent for TRX. */
  readonly token?: string;
  readonly block: number;
  readonly isSolid: boolean;
};

export type TronNode = {
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
  readonly parameters: Parameters;
  /** Makes blocks, one a slot. */
  produce(count?: number): void;
  fork: Blocks['fork'];
  headNumber(): number;
  /** Sets the TRX balance of an account, in sun. */
  setBalance(address: string, sun: bigint): void;
  balance(address: string): bigint;
  /** Puts a token at an address, or changes an existing one. */
  setToken(address: string, changes: TokenChanges): void;
  tokenBalance(token: string, address: string): bigint;
  transfers(): readonly NodeTransfer[];
  /** The transactions of the chain, and whether they had an effect. */
  transactions(): readonly { readonly id: string; readonly result: string; readonly fee: bigint }[];
  stop(): Promise<void>;
};

type TokenChanges = Partial<Pick<Token, 'decimals' | 'behaviour' | 'energy'>> & {
  readonly balances?: Readonly<Record<string, bigint>>;
  readonly blocked?: readonly string[];
};

/** Heights of today's main network, so that references wrap as they do there. */
const FIRST_BLOCK = 78_000_000;
/** Twenty minutes of earlier blocks: a real chain goes back further than any test looks. */
const FIRST_BLOCKS = 400;
const MAINNET_GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
/** After a longer pause the missing slots stay empty, as when producers are down. */
const MAX_CATCH_UP = 2_000;
const ISSUER = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';
/** Energy of USDT transfers on the main network. */
const USDT_ENERGY = { toHolder: 64_285n, toOthers: 130_285n };

/**
 * @example
 * const node = await startTronNode({ endpoints: 2 });
 * node.setBalance(sender, 1_000_000_000n);
 * // … point a chain at node.endpoints[0].url, then
 * await node.stop();
 */
export async function startTronNode(options: TronNodeOptions = {}): Promise<TronNode> {
  const { clock = systemClock, seed = 1 } = options;
  const parameters = { ...PARAMETERS, ...options.parameters };
  const slotOf = (ms: number) => Math.floor(ms / SLOT_MS) * SLOT_MS;
  const startMs = slotOf(clock.now().getTime());
  const blocks = createBlocks({ number: FIRST_BLOCK, timeMs: startMs - FIRST_BLOCKS * SLOT_MS }, parameters);
  for (let count = 0; count < FIRST_BLOCKS; count++) blocks.produce();

  function refresh(): void {
    if (options.blocks === 'manual') return;
    const lastMs = slotOf(clock.now().getTime());
    const missing = (lastMs - blocks.head().timeMs) / SLOT_MS;
    if (missing > MAX_CATCH_UP) blocks.produce(lastMs - MAX_CATCH_UP * SLOT_MS);
    while (blocks.head().timeMs < lastMs) blocks.produce();
  }

  const genesis: NodeBlock = {
    number: 0,
    id: options.genesisId ?? MAINNET_GENESIS,
    parentId: ''.padEnd(64, '0'),
    timeMs: 0,
    mined: [],
    state: { accounts: new Map(), tokens: new Map() },
  };
  const open = (index: number) =>
    openEndpoint({
      blocks,
      parameters,
      genesis,
      refresh,
      apiKey: options.apiKey,
      port: index === 0 ? options.port : undefined,
      seed: seed + index,
    });
  const first = await open(0);
  const others = await Promise.all(Array.from({ length: (options.endpoints ?? 1) - 1 }, (_, index) => open(index + 1)));
  const endpoints: [Endpoint, ...Endpoint[]] = [first, ...others];

  return {
    endpoints,
    parameters,
    produce: (count = 1) => {
      for (let made = 0; made < count; made++) blocks.produce();
    },
    fork: blocks.fork,
    headNumber: () => {
      refresh();
      return blocks.head().number;
    },
    setBalance: (address, sun) => {
      blocks.amend(({ accounts }) => {
        const account = accounts.get(hexOf(address)) ?? { freeNetUsed: 0, freeNetAtMs: 0 };
        accounts.set(hexOf(address), { ...account, balance: sun });
      });
    },
    balance: address => blocks.head().state.accounts.get(hexOf(address))?.balance ?? 0n,
    setToken: (address, changes) => {
      blocks.amend(({ tokens }) => {
        tokens.set(hexOf(address), changedToken(tokens.get(hexOf(address)), changes));
      });
    },
    tokenBalance: (token, address) => blocks.head().state.tokens.get(hexOf(token))?.balances.get(hexOf(address)) ?? 0n,
    transfers: () => {
      refresh();
      return transfersOf(blocks);
    },
    transactions: () =>
      minedOf(blocks).map(({ transaction, receipt }) => ({
        id: transaction.id,
        result: receipt.result,
        fee: receipt.fee,
      })),
    stop: async () => {
      await Promise.all(endpoints.map(endpoint => endpoint.stop()));
    },
  };
}

function hexOf(address: string): string {
  const hex = fromBase58(address);
  if (hex === undefined) throw new RangeError(`${address} is not an address of Tron`);
  return hex;
}

function changedToken(before: Token | undefined, { balances = {}, blocked, ...changes }: TokenChanges): Token {
  const token: Token = before ?? {
    decimals: 6,
    behaviour: 'normal',
    issuer: ISSUER,
    balances: new Map(),
    blocked: new Set(),
    energy: USDT_ENERGY,
  };
  const given = Object.entries(balances).map(([address, units]) => [hexOf(address), units] as const);
  return {
    ...token,
    ...changes,
    balances: new Map([...token.balances, ...given]),
    blocked: blocked ? new Set(blocked.map(hexOf)) : token.blocked,
  };
}

function* allBlocks(blocks: Blocks) {
  for (let number = FIRST_BLOCK; number <= blocks.head().number; number++) {
    const block = blocks.at(number);
    if (block) yield block;
  }
}

function minedOf(blocks: Blocks) {
  return [...allBlocks(blocks)].flatMap(block => block.mined.map(mined => ({ ...mined, block })));
}

function transfersOf(blocks: Blocks): NodeTransfer[] {
  return minedOf(blocks).flatMap(({ transaction, receipt, block }) => {
    const place = { id: transaction.id, block: block.number, isSolid: block.number <= blocks.solid().number };
    const contract = transaction.contracts[0];
    if (contract?.type === 'TransferContract') {
      const [from, to] = [toBase58(contract.owner), toBase58(contract.to)];
      return [{ ...place, from, to, units: contract.amount }];
    }
    return receipt.logs.map(({ address, topics: [, from = '', to = ''], data }) => ({
      ...place,
      from: toBase58(`41${from.slice(24)}`),
      to: toBase58(`41${to.slice(24)}`),
      units: BigInt(`0x${data}`),
      token: toBase58(`41${address}`),
    }));
  });
}
