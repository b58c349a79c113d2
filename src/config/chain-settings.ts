// What can be set about chains: one entry for each network that crypto is sent on. Signers are named; files that an entry
// names are read when the chains are opened.
import { type Static, Type } from 'typebox';
import { parseUnits } from '../lib/decimals.ts';
import { isNodeUrl, NODE_URL_WORDS } from '../lib/node-url.ts';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf } from '../lib/settings/kinds.ts';

/** The networks of src/chains/asset.ts; a test holds both lists together. */
export const EVM_CHAINS = ['ethereum', 'polygon', 'base', 'arbitrum', 'bsc'] as const;
export const CHAIN_NETWORKS = [...EVM_CHAINS, 'tron'] as const;

const MAX_PROVIDERS = 10;
const MAX_SENDERS = 20;
const GWEI_DECIMALS = 9;
const TRX_DECIMALS = 6;
const CLOSED = { additionalProperties: false } as const;

const check = (holds: (text: string) => boolean, message: string) => ({
  'x-check': { holds: value => typeof value !== 'string' || holds(value), message } satisfies Check,
});
const whole = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }));
const Path = () => Type.String({ minLength: 1 });
const Word = () => Type.String(check(text => /^[\x21-\x7e]{1,4000}$/.test(text), 'must be printable ASCII'));
const EvmAddress = () =>
  Type.String(check(text => /^0x[0-9a-fA-F]{40}$/.test(text), 'must be 0x and 40 hexadecimal digits'));
const TronAddress = () =>
  Type.String(check(text => /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text), 'must be an address of Tron'));
/** Decimal text, since a JSON number could lose digits. */
const Amount = (decimals: number, example: string) =>
  Type.Optional(
    Type.String(
      check(
        text => (parseUnits(text, decimals) ?? 0n) > 0n,
        `must be a decimal above zero as text, such as "${example}"`,
      ),
    ),
  );
const Name = () => Type.String(check(text => /^[\w.-]{1,40}$/.test(text), 'must be 1 to 40 letters, digits, . _ or -'));

const url = { url: Type.Optional(Type.String(check(isNodeUrl, NODE_URL_WORDS))), urlFile: Type.Optional(Path()) };
const URL_RULE = { 'x-check': { holds: oneOf('url', 'urlFile'), message: 'must have url or urlFile, and not both' } };

const node = { name: Name(), ...url, timeoutSeconds: whole(1, 60) };
const EvmProvider = Type.Object({ ...node, batchSize: whole(1, 1_000) }, { ...CLOSED, ...URL_RULE });
const TronProvider = Type.Object(
  { ...node, apiKey: Type.Optional(Word()), apiKeyFile: Type.Optional(Path()) },
  {
    ...CLOSED,
    ...URL_RULE,
  },
);

const providersOf = <P extends typeof EvmProvider | typeof TronProvider>(provider: P) =>
  Type.Array(provider, {
    minItems: 1,
    maxItems: MAX_PROVIDERS,
    'x-check': { holds: hasDistinct('name'), message: 'must name each provider differently' } satisfies Check,
  });

/** The first sender signs. A former one needs its signer only where something may still be signed for it. */
const Senders = (Address: typeof EvmAddress | typeof TronAddress) =>
  Type.Array(
    Type.Object(
      { signer: Type.Optional(Type.String({ minLength: 1 })), address: Type.Optional(Address()) },
      {
        ...CLOSED,
        'x-check': { holds: oneOf('signer', 'address'), message: 'must have signer or address, and not both' },
      },
    ),
    {
      minItems: 1,
      maxItems: MAX_SENDERS,
      'x-check': { holds: hasFirstSigner, message: 'must begin with a sender that has a signer' } satisfies Check,
    },
  );

const EvmEntry = Type.Object(
  {
    network: Type.Enum([...EVM_CHAINS], { type: 'string' }),
    providers: providersOf(EvmProvider),
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
          tokens: Type.Object({ usdt: Type.Optional(EvmAddress()), usdc: Type.Optional(EvmAddress()) }, CLOSED),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);

const TronEntry = Type.Object(
  {
    network: Type.Enum(['tron'], { type: 'string' }),
    providers: providersOf(TronProvider),
    senders: Senders(TronAddress),
    window: whole(1, 10_000),
    maxFeeTrx: Amount(TRX_DECIMALS, '30'),
    test: Type.Optional(Type.Object({ tokens: Type.Object({ usdt: Type.Optional(TronAddress()) }, CLOSED) }, CLOSED)),
  },
  CLOSED,
);

export type EvmChainSettings = Readonly<Static<typeof EvmEntry>>;
export type TronChainSettings = Readonly<Static<typeof TronEntry>>;
export type ChainSettings = EvmChainSettings | TronChainSettings;

/** Only the faults of the kind that the network has are told, which a plain union cannot do. */
const ChainEntry = Type.Unsafe<ChainSettings>({
  type: 'object',
  required: ['network'],
  properties: { network: { type: 'string', enum: [...CHAIN_NETWORKS] } },
  discriminator: { propertyName: 'network' },
  oneOf: [EvmEntry, TronEntry],
});

export const ChainEntries = Type.Array(ChainEntry, {
  maxItems: CHAIN_NETWORKS.length,
  'x-check': { holds: hasDistinct('network'), message: 'must have each network once' } satisfies Check,
});

/** The chains as JSON text. */
export const chainSettings = jsonOf(ChainEntries, 'a JSON list of objects { network, providers, senders, … }');

function oneOf(a: string, b: string): (entry: unknown) => boolean {
  return entry => has(entry, a) !== has(entry, b);
}

function hasFirstSigner(senders: unknown): boolean {
  return !Array.isArray(senders) || senders.length === 0 || has(senders[0], 'signer');
}

function hasDistinct(field: string): (list: unknown) => boolean {
  return list => {
    if (!Array.isArray(list)) return true;
    const values = list.flatMap(entry => (has(entry, field) ? [Reflect.get(entry, field)] : []));
    return new Set(values).size === values.length;
  };
}

function has(entry: unknown, field: string): entry is object {
  return typeof entry === 'object' && entry !== null && Object.hasOwn(entry, field);
}
