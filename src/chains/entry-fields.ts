// The fields that an entry of `chains` has in every family: its providers and its senders. Signers are named; files that an entry names are
// read when the chain is opened.
import { type TProperties, Type } from 'typebox';
import { parseUnits } from '../lib/decimals.ts';
import { isNodeUrl, NODE_URL_MESSAGE } from '../lib/node-url.ts';
import type { Check } from '../lib/settings/check-schema.ts';
import type { AddressForm, NetworkFacts } from './family.ts';
import { type AssetSymbol, SYMBOLS } from './symbol.ts';

const MAX_PROVIDERS = 10;
const MAX_SENDERS = 20;
/** The most that any asset has. */
const MAX_DECIMALS = 18;
export const CLOSED = { additionalProperties: false } as const;

const check = (holds: (text: string) => boolean, message: string) => ({
  'x-check': { holds: value => typeof value !== 'string' || holds(value), message } satisfies Check,
});

export const whole = (minimum: number, maximum: number) => Type.Optional(Type.Integer({ minimum, maximum }));
export const Path = () => Type.String({ minLength: 1 });
/** A key of an API, as it goes into a header. */
export const Word = () => Type.String(check(text => /^[\x21-\x7e]{1,4000}$/.test(text), 'must be printable ASCII'));
/** Its checksum is checked when the chain is opened. */
export const Address = ({ pattern }: AddressForm, message: string) =>
  Type.String(check(text => pattern.test(text), message));
/** Decimal text, since a JSON number could lose digits. */
export const Amount = (decimals: number, example: string) =>
  Type.Optional(
    Type.String(
      check(
        text => (parseUnits(text, decimals) ?? 0n) > 0n,
        `must be a decimal above zero as text, such as "${example}"`,
      ),
    ),
  );
/** Of an asset that another field names; how many decimals that one has is checked at the start. */
export const AmountOfAny = () => Amount(MAX_DECIMALS, '5000');
const Name = () => Type.String(check(text => /^[\w.-]{1,40}$/.test(text), 'must be 1 to 40 letters, digits, . _ or -'));

const url = { url: Type.Optional(Type.String(check(isNodeUrl, NODE_URL_MESSAGE))), urlFile: Type.Optional(Path()) };
const URL_RULE = { 'x-check': { holds: oneOf('url', 'urlFile'), message: 'must have url or urlFile, and not both' } };

/** The providers of a network, each with the fields of its family beside those that all have. */
export const Providers = <P extends TProperties>(more: P) =>
  Type.Array(Type.Object({ name: Name(), ...url, timeoutSeconds: whole(1, 60), ...more }, { ...CLOSED, ...URL_RULE }), {
    minItems: 1,
    maxItems: MAX_PROVIDERS,
    'x-check': { holds: hasDistinct('name'), message: 'must name each provider differently' } satisfies Check,
  });

/**
 * The first sender takes slots, and so do those that are `active`. A former one needs its signer only where something may still be
 * signed for it.
 */
export const Senders = (OfFamily: ReturnType<typeof Address>) =>
  Type.Array(
    Type.Object(
      {
        signer: Type.Optional(Type.String({ minLength: 1 })),
        address: Type.Optional(OfFamily),
        active: Type.Optional(Type.Boolean()),
      },
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

/** The contracts of the tokens of a test node: those that some network of the family has. */
export const TestTokens = (networks: readonly NetworkFacts[], OfFamily: ReturnType<typeof Address>) =>
  Type.Unsafe<{ readonly [S in AssetSymbol]?: string }>(
    Type.Object(
      Object.fromEntries(
        SYMBOLS.filter(symbol => networks.some(({ tokens }) => tokens[symbol])).map(symbol => [
          symbol,
          Type.Optional(OfFamily),
        ]),
      ),
      CLOSED,
    ),
  );

function oneOf(a: string, b: string): (entry: unknown) => boolean {
  return entry => has(entry, a) !== has(entry, b);
}

function hasFirstSigner(senders: unknown): boolean {
  return !Array.isArray(senders) || senders.length === 0 || has(senders[0], 'signer');
}

/** Whether the values of a field are unique within a list. */
export function hasDistinct(field: string): (list: unknown) => boolean {
  return list => {
    if (!Array.isArray(list)) return true;
    const values = list.flatMap(entry => (has(entry, field) ? [Reflect.get(entry, field)] : []));
    return new Set(values).size === values.length;
  };
}

function has(entry: unknown, field: string): entry is object {
  return typeof entry === 'object' && entry !== null && Object.hasOwn(entry, field);
}
