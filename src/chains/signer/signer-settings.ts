// The settings of signers: the keys that payouts are signed with. An entry holds paths and no secret; the files that it
// names are read when the signers are opened.
import { type Static, Type } from 'typebox';
import type { Check } from '../../lib/settings/check-schema.ts';
import { jsonOf } from '../../lib/settings/kinds.ts';
import type { Setting } from '../../lib/settings/setting.ts';
import { familyOfAddress } from '../address.ts';
import { EVM_ADDRESSES } from '../evm/address.ts';
import { FAMILIES } from '../families.ts';

const MAX_SIGNERS = 100;
/** A token's label has at most 32 bytes in PKCS#11. */
const MAX_TOKEN_LABEL_BYTES = 32;
const CLOSED = { additionalProperties: false } as const;

const check = (holds: (text: string) => boolean, message: string) => ({
  'x-check': { holds: value => typeof value !== 'string' || holds(value), message } satisfies Check,
});
const Path = () => Type.String({ minLength: 1 });
const Name = () =>
  Type.String(check(text => /^[a-z0-9][a-z0-9-]{0,39}$/.test(text), 'must be 1 to 40 small letters, digits or -'));
/** Its checksum is checked when the signer is opened. */
const Address = () =>
  Type.String(
    check(
      text => familyOfAddress(text) !== undefined,
      `must be an address of ${FAMILIES.map(({ label }) => label).join(' or ')}`,
    ),
  );
const EvmAddress = () => Type.String(check(text => EVM_ADDRESSES.pattern.test(text), `must be ${EVM_ADDRESSES.form}`));

const Keystore = Type.Object(
  {
    name: Name(),
    kind: Type.Literal('keystore'),
    file: Path(),
    passwordFile: Path(),
    address: Type.Optional(Address()),
  },
  CLOSED,
);

const Pkcs11 = Type.Object(
  {
    name: Name(),
    kind: Type.Literal('pkcs11'),
    module: Path(),
    token: Type.String(check(isTokenLabel, `must have 1 to ${MAX_TOKEN_LABEL_BYTES} bytes`)),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    keyId: Type.Optional(
      Type.String(check(text => /^([0-9a-fA-F]{2}){1,64}$/.test(text), 'must be 1 to 64 bytes as hexadecimal digits')),
    ),
    pinFile: Path(),
    packageFolder: Type.Optional(Path()),
    address: Type.Optional(Address()),
  },
  {
    ...CLOSED,
    'x-check': { holds: namesOneKey, message: 'must have key or keyId, and not both' } satisfies Check,
  },
);

const Remote = Type.Object(
  {
    name: Name(),
    kind: Type.Literal('remote'),
    url: Type.String(
      check(isSignerUrl, 'must be a URL with https (http only to this machine), without user and password'),
    ),
    address: EvmAddress(),
    certificateFile: Type.Optional(Path()),
    privateKeyFile: Type.Optional(Path()),
    caFile: Type.Optional(Path()),
  },
  {
    ...CLOSED,
    'x-check': {
      holds: hasPair,
      message: 'must have certificateFile and privateKeyFile, or neither',
    } satisfies Check,
  },
);

/** One shape for each kind. */
export const SIGNER_SHAPES = [Keystore, Pkcs11, Remote] as const;

type Entry = Static<typeof Keystore> | Static<typeof Pkcs11> | Static<typeof Remote>;
const SIGNER_KINDS = ['keystore', 'pkcs11', 'remote'] as const satisfies readonly Entry['kind'][];

/** Reports only the faults of the kind that an entry names, which a plain union cannot do. */
const SignerEntry = Type.Unsafe<Entry>({
  type: 'object',
  required: ['kind'],
  properties: { kind: { type: 'string', enum: [...SIGNER_KINDS] } },
  discriminator: { propertyName: 'kind' },
  oneOf: [...SIGNER_SHAPES],
});

/** One entry of `signers` in the configuration file. */
export type SignerSettings = Readonly<Entry>;

const SignerEntries = Type.Array(SignerEntry, {
  maxItems: MAX_SIGNERS,
  'x-check': { holds: hasDistinctNames, message: 'must name each signer differently' } satisfies Check,
});

export const SIGNER_SETTINGS = [
  {
    name: 'TRILHO_SIGNERS',
    kind: jsonOf(SignerEntries, 'a JSON list of objects { name, kind, … }'),
    // An address of a remote signer may hold a key.
    isSecret: true,
    inFile: 'signers',
    meaning: 'Keys that payouts are signed with: keystore files, HSMs, remote signers.',
  },
] as const satisfies readonly Setting[];

function isTokenLabel(text: string): boolean {
  const bytes = Buffer.byteLength(text);
  return bytes >= 1 && bytes <= MAX_TOKEN_LABEL_BYTES;
}

function isSignerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

function namesOneKey(entry: unknown): boolean {
  return has(entry, 'key') !== has(entry, 'keyId');
}

function hasPair(entry: unknown): boolean {
  return has(entry, 'certificateFile') === has(entry, 'privateKeyFile');
}

function has(entry: unknown, field: string): boolean {
  return typeof entry === 'object' && entry !== null && Object.hasOwn(entry, field);
}

function hasDistinctNames(signers: unknown): boolean {
  if (!Array.isArray(signers)) return true;
  const names = signers.flatMap(signer => (has(signer, 'name') ? [signer.name] : []));
  return new Set(names).size === names.length;
}
