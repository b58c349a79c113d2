// The settings of an EVM network: an entry of `chains`.
import { type Static, Type } from 'typebox';
import { Address, Amount, CLOSED, Providers, Senders, TestTokens, whole } from '../entry-fields.ts';
import { EVM_ADDRESSES } from './address.ts';
import { EVM_NETWORKS } from './networks/list.ts';

const GWEI_DECIMALS = 9;

const EvmAddress = Address(EVM_ADDRESSES, `must be ${EVM_ADDRESSES.form}`);

export const EvmEntry = Type.Object(
  {
    network: Type.Enum(
      EVM_NETWORKS.map(({ id }) => id),
      { type: 'string' },
    ),
    providers: Providers({ batchSize: whole(1, 1_000) }),
    senders: Senders(EvmAddress),
    depth: whole(1, 10_000),
    window: whole(1, 10_000),
    maxAttempts: whole(1, 50),
    maxFeeGwei: Amount(GWEI_DECIMALS, '300'),
    minTipGwei: Amount(GWEI_DECIMALS, '0.05'),
    maxGas: whole(30_000, 30_000_000),
    test: Type.Optional(
      Type.Object(
        {
          chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
          blockMs: whole(1, 60_000),
          tokens: TestTokens(EVM_NETWORKS, EvmAddress),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);

export type EvmChainSettings = Readonly<Static<typeof EvmEntry>>;
