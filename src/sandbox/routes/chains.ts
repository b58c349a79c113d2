// The simulated chains of a sandbox: reads their state and injects faults.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { OneOf, Ref } from '../../api/schemas.ts';
import { NETWORKS, type Network } from '../../chains/asset.ts';
import { decimalsOf, SENT_SYMBOLS } from '../../chains/networks.ts';
import { ok } from '../../http/server/answers.ts';
import { pathOf } from '../../http/server/path.ts';
import { defineRoute } from '../../http/server/route.ts';
import { formatUnits } from '../../lib/decimals.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { controlChain, readChains, readTransaction } from '../chains/control.ts';
import { type ChainStore, type ChainTransaction, outcomeOf } from '../chains/simulated-chain.ts';
import { CHAIN_FAULTS } from '../chains/simulation.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';

const MAX_REORGANISED = 100;

const ControlBody = Type.Object(
  {
    fault: Type.Optional(
      OneOf(CHAIN_FAULTS, {
        description:
          '`stalled`: no block is mined; `reverting`: transactions sent now will revert; `keeps_part`: the token keeps a part of what is sent now; `foreign_use`: another holder of the key uses up the slots of what is sent now; `refusing`: transfers are refused before they are sent; `lagging`: the node does not show what was mined; `empty`: the sender has nothing; `rpc_timeout`: calls arrive, replies are lost.',
      }),
    ),
    reorganise: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_REORGANISED,
        description: 'How many of the last blocks are undone, with every transaction in them.',
      }),
    ),
  },
  { $id: 'ChainOrder', additionalProperties: false, examples: [{ fault: 'stalled' }, { reorganise: 3 }] },
);

const ChainView = Type.Object(
  {
    network: OneOf(NETWORKS),
    fault: OneOf(CHAIN_FAULTS),
    height: Type.Integer({ description: 'The newest block.' }),
    dropped: Type.Optional(Type.Integer({ minimum: 0, description: 'How many transactions were undone.' })),
  },
  { $id: 'SandboxChain', additionalProperties: false },
);

const ChainsView = Type.Object(
  { chains: Type.Array(Ref(ChainView)) },
  { $id: 'SandboxChains', additionalProperties: false },
);

const TransactionView = Type.Object(
  {
    hash: Type.String(),
    status: OneOf(['pending', 'mined']),
    confirmations: Type.Integer({ minimum: 0, description: 'Blocks on top of it, including its own.' }),
    block: Type.Optional(Type.Integer({ description: 'The block it is mined in.' })),
    outcome: Type.Optional(OneOf(['transferred', 'mismatched', 'reverted', 'voided'])),
    to: Type.Optional(Type.String({ description: 'Absent in a transaction that moves nothing.' })),
    symbol: Type.Optional(OneOf(SENT_SYMBOLS)),
    quantity: Type.Optional(Type.String({ description: 'Units of the asset, exact.' })),
    nonce: Type.Integer({ minimum: 0 }),
  },
  { $id: 'SandboxChainTransaction', additionalProperties: false },
);

const CHAIN_EXAMPLE: Static<typeof ChainView> = { network: 'polygon', fault: 'none', height: 108_475_200 };
const TRANSACTION_EXAMPLE: Static<typeof TransactionView> = {
  hash: '0x1c6f5e2b9a40d38e7f5b8c1d2a3e4f60718293a4b5c6d7e8f90a1b2c3d4e5f60',
  status: 'mined',
  confirmations: 12,
  block: 108_475_189,
  outcome: 'transferred',
  to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  symbol: 'usdc',
  quantity: '462.962962',
  nonce: 7,
};

export const CHAIN_SCHEMAS = [ControlBody, ChainView, ChainsView, TransactionView];

export type ChainRouteDeps = {
  readonly clock: SandboxClock;
  readonly chainStore: ChainStore;
  /** Networks that a test node replaces. */
  readonly testNetworks: readonly string[];
};

const HASH = /^(0x)?[0-9a-f]{64}$/;
const tag = 'Sandbox';
const network = OneOf(NETWORKS);

export function chainRoutes(app: FastifyInstance, { clock, chainStore, testNetworks }: ChainRouteDeps): void {
  const needs = { clock, store: chainStore };

  defineRoute(app, {
    method: 'GET',
    url: '/sandbox/chains',
    operationId: 'listSandboxChains',
    summary: 'List the chains',
    description:
      'Sandbox only. Every simulated network with its injected fault and its newest block; except those that a test node replaces.',
    tag,
    answer: ok(ChainsView, 'The chains', { chains: [CHAIN_EXAMPLE] }),
    handle: async () => {
      const chains = await readChains(needs);
      return { chains: chains.filter(chain => !testNetworks.includes(chain.network)) };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/chains/:network',
    operationId: 'directSandboxChain',
    summary: 'Inject a fault into a chain, or undo its last blocks',
    description:
      'Sandbox only. A fault stays until another one, or `none`, is set. A network that a test node replaces is refused.',
    tag,
    path: pathOf({ network }, { network: 'network' }),
    body: ControlBody,
    answer: ok(ChainView, 'The chain afterwards', CHAIN_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path, body: { fault, reorganise } }) => {
      if (testNetworks.includes(path.network)) {
        throw new AppError('wrong_state', `A test node replaces ${path.network}: no fault can be injected into it.`);
      }
      if (fault === undefined && reorganise === undefined) {
        throw invalidRequest([{ path: 'fault', code: 'required', message: 'or reorganise is required' }]);
      }
      return controlChain(needs, path.network, {
        ...(fault !== undefined && { fault }),
        ...(reorganise !== undefined && { reorganise }),
      });
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/sandbox/chains/:network/transactions/:hash',
    operationId: 'getSandboxChainTransaction',
    summary: 'Read a transaction of a chain',
    description: 'Sandbox only. Answers regardless of the injected fault.',
    tag,
    path: pathOf({ network, hash: Type.String() }, { network: 'network', hash: 'transaction' }),
    answer: ok(TransactionView, 'The transaction on the chain', TRANSACTION_EXAMPLE),
    handle: async ({ path }) => {
      const hash = path.hash.toLowerCase();
      const found = HASH.test(hash) ? await readTransaction(needs, path.network, hash) : undefined;
      if (!found) throw new AppError('not_found', 'The chain has no such transaction.');
      return transactionView(path.network, hash, found);
    },
  });
}

type Found = { readonly held: ChainTransaction; readonly confirmations: number };

function transactionView(on: Network, hash: string, { held, confirmations }: Found): Static<typeof TransactionView> {
  const isMined = confirmations > 0;
  const { moves } = held;
  return {
    hash,
    status: isMined ? 'mined' : 'pending',
    confirmations,
    ...(isMined && { block: held.block, outcome: outcomeOf(held) }),
    ...(moves && {
      to: moves.to,
      symbol: moves.symbol,
      quantity: formatUnits(moves.units, decimalsOf(moves.symbol, on)),
    }),
    nonce: Number(held.slot.nonce),
  };
}
