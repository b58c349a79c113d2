// What only a sandbox has: chains that can be looked at, and weather that can be made over them.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NETWORKS, type Network, SYMBOLS } from '../chains/asset.ts';
import { decimalsOf } from '../chains/networks.ts';
import { directChain, readChains, readTransaction } from '../chains/sandbox-director.ts';
import { WEATHERS } from '../chains/sandbox-sky.ts';
import type { Clock } from '../lib/clock.ts';
import { formatUnits } from '../lib/decimals.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { sandboxChainMemory } from '../transactions/store-sandbox-chain.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { OneOf } from './schemas.ts';

const MAX_REORGANISED = 100;

const DirectBody = Type.Object(
  {
    weather: Type.Optional(
      OneOf(WEATHERS, {
        description:
          '`stalled`: no block is mined; `failing`: what is sent now will revert; `silent`: calls arrive, replies are lost.',
      }),
    ),
    reorganise: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_REORGANISED,
        description: 'How many of the last blocks are undone, with all that was mined in them.',
      }),
    ),
  },
  { $id: 'ChainOrder', additionalProperties: false, examples: [{ weather: 'stalled' }, { reorganise: 3 }] },
);

const ChainView = Type.Object(
  {
    network: OneOf(NETWORKS),
    weather: OneOf(WEATHERS),
    height: Type.Integer({ description: 'The newest block.' }),
    dropped: Type.Optional(Type.Integer({ minimum: 0, description: 'How many transactions were undone.' })),
  },
  { $id: 'SandboxChain', additionalProperties: false },
);

const ChainsView = Type.Object(
  { chains: Type.Array(Type.Unsafe<Static<typeof ChainView>>({ $ref: 'SandboxChain#' })) },
  { $id: 'SandboxChains', additionalProperties: false },
);

const TransactionView = Type.Object(
  {
    hash: Type.String(),
    status: OneOf(['pending', 'mined']),
    confirmations: Type.Integer({ minimum: 0, description: 'Blocks on top of it, its own included.' }),
    block: Type.Optional(Type.Integer({ description: 'The block it is mined in.' })),
    outcome: Type.Optional(OneOf(['transferred', 'reverted'])),
    to: Type.String(),
    symbol: OneOf(SYMBOLS),
    quantity: Type.String({ description: 'Units of the asset as exact decimal text.' }),
    nonce: Type.Integer({ minimum: 0 }),
  },
  { $id: 'SandboxChainTransaction', additionalProperties: false },
);

const CHAIN_EXAMPLE: Static<typeof ChainView> = { network: 'polygon', weather: 'clear', height: 108_475_200 };
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

type Deps = { readonly db: Database; readonly clock: Clock };

const HASH = /^(0x)?[0-9a-f]{64}$/;
const networkParams = { network: OneOf(NETWORKS) };
const readBody = reader(DirectBody, 'body');

export function sandboxChainRoutes(app: FastifyInstance, { db, clock }: Deps): void {
  for (const schema of [DirectBody, ChainView, ChainsView, TransactionView]) app.addSchema(schema);
  const needs = { clock, memory: sandboxChainMemory(db) };

  app.get(
    '/sandbox/chains',
    {
      config: { public: true },
      schema: {
        operationId: 'listSandboxChains',
        summary: 'See the chains',
        description: 'Sandbox only. Every network with its weather and its newest block.',
        tags: ['Sandbox'],
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'SandboxChains#' }), 'The chains', { chains: [CHAIN_EXAMPLE] }),
          ...problemResponses('malformed_request'),
        },
      },
    },
    async () => ({ chains: await readChains(needs) }),
  );

  app.post<{ Params: { network: string } }>(
    '/sandbox/chains/:network',
    {
      config: { public: true },
      schema: {
        operationId: 'directSandboxChain',
        summary: 'Turn the weather over a chain, or undo its last blocks',
        description: 'Sandbox only. The weather stays until it is turned again.',
        tags: ['Sandbox'],
        params: Type.Object(networkParams),
        body: Type.Unsafe({ $ref: 'ChainOrder#' }),
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'SandboxChain#' }), 'The chain as it is then', CHAIN_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const { clean, faults } = readBody(request.body);
      if (faults.length > 0) throw invalidRequest(faults);
      const { weather, reorganise } = clean;
      if (weather === undefined && reorganise === undefined) {
        throw invalidRequest([{ path: 'weather', code: 'required', message: 'or reorganise is required' }]);
      }
      return directChain(needs, requireNetwork(request.params.network), {
        ...(weather !== undefined && { weather }),
        ...(reorganise !== undefined && { reorganise }),
      });
    },
  );

  app.get<{ Params: { network: string; hash: string } }>(
    '/sandbox/chains/:network/transactions/:hash',
    {
      config: { public: true },
      schema: {
        operationId: 'getSandboxChainTransaction',
        summary: 'See a transaction as its chain shows it',
        description: 'Sandbox only, whatever the weather.',
        tags: ['Sandbox'],
        params: Type.Object({ ...networkParams, hash: Type.String() }),
        response: {
          200: jsonResponse(
            Type.Unsafe({ $ref: 'SandboxChainTransaction#' }),
            'The transaction as the chain has it now',
            TRANSACTION_EXAMPLE,
          ),
          ...problemResponses('malformed_request', 'not_found'),
        },
      },
    },
    async (request): Promise<Static<typeof TransactionView>> => {
      const network = requireNetwork(request.params.network);
      const hash = request.params.hash.toLowerCase();
      const found = HASH.test(hash) ? await readTransaction(needs, network, hash) : undefined;
      if (!found) throw new AppError('not_found', 'The chain knows no such transaction.');
      const { held, confirmations } = found;
      const isMined = confirmations > 0;
      return {
        hash,
        status: isMined ? 'mined' : 'pending',
        confirmations,
        ...(isMined && { block: held.block, outcome: held.reverts ? ('reverted' as const) : ('transferred' as const) }),
        to: held.to,
        symbol: held.symbol,
        quantity: formatUnits(held.units, decimalsOf(held.symbol, network)),
        nonce: Number(held.slot.nonce),
      };
    },
  );
}

function requireNetwork(name: string): Network {
  const network = NETWORKS.find(known => known === name);
  if (!network) throw new AppError('not_found', 'There is no such network.');
  return network;
}
