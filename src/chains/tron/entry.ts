// The settings of Tron: an entry of `chains`.
import { type Static, Type } from 'typebox';
import { Address, Amount, CLOSED, Path, Providers, Senders, TestTokens, Word, whole } from '../entry-fields.ts';
import { TRON_ADDRESSES } from './address.ts';
import { tron } from './network.ts';

const TronAddress = Address(TRON_ADDRESSES, 'must be an address of Tron');

export const TronEntry = Type.Object(
  {
    network: Type.Enum([tron.id], { type: 'string' }),
    providers: Providers({ apiKey: Type.Optional(Word()), apiKeyFile: Type.Optional(Path()) }),
    senders: Senders(TronAddress),
    window: whole(1, 10_000),
    maxFeeTrx: Amount(tron.coin.decimals, '30'),
    test: Type.Optional(Type.Object({ tokens: TestTokens([tron], TronAddress) }, CLOSED)),
  },
  CLOSED,
);

export type TronChainSettings = Readonly<Static<typeof TronEntry>>;
