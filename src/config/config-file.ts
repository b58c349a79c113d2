// The file that TRILHO_CONFIG names: JSON with the structured settings, one section for each subject. A section is added
// here as one more optional object.
import { Type } from 'typebox';
import { ChainEntries } from '../chains/chain-settings.ts';
import { SignerEntries } from '../chains/signer/signer-settings.ts';
import { valueAt } from '../lib/exact-json.ts';
import { type Check, checkSchema } from '../lib/settings/check-schema.ts';
import { filePath, type Kind, onOrOff, parseJson, serviceUrl, walletProof } from '../lib/settings/kinds.ts';
import { type ReadFile, tryReadFile } from '../lib/settings/read-file.ts';
import { PriceSources, priceMaxAge, priceMaxSpread } from '../prices/price-settings.ts';
import { AgreementEntries } from '../rails/agreement-entry.ts';
import { railEntries } from '../rails/entries.ts';
import { RAIL_KINDS } from '../rails/kinds.ts';
import { ReceiverEntry } from '../rails/receiver-entry.ts';
import { PayoutEntry } from './payout-settings.ts';

const CLOSED = { additionalProperties: false } as const;

/** A field that takes what its environment variable takes, as a JSON number or as text. */
function scalar(kind: Kind<unknown>) {
  const holds = (value: unknown) =>
    (typeof value === 'number' || typeof value === 'string') && 'value' in kind.parse(String(value));
  return Type.Unknown({ 'x-check': { holds, message: `must be ${kind.words}` } satisfies Check });
}

const Prices = Type.Object(
  {
    sources: Type.Optional(PriceSources),
    maxAgeSeconds: Type.Optional(scalar(priceMaxAge)),
    maxSpreadPercent: Type.Optional(scalar(priceMaxSpread)),
  },
  CLOSED,
);

const Wallets = Type.Object(
  {
    proof: Type.Optional(scalar(walletProof)),
    approval: Type.Optional(scalar(onOrOff)),
    screeningFile: Type.Optional(scalar(filePath)),
    screeningUrl: Type.Optional(scalar(serviceUrl)),
  },
  CLOSED,
);

const ConfigFile = Type.Object(
  {
    prices: Type.Optional(Prices),
    rails: Type.Optional(railEntries(RAIL_KINDS)),
    boletos: Type.Optional(AgreementEntries),
    receiver: Type.Optional(ReceiverEntry),
    signers: Type.Optional(SignerEntries),
    chains: Type.Optional(ChainEntries),
    payouts: Type.Optional(PayoutEntry),
    wallets: Type.Optional(Wallets),
  },
  CLOSED,
);

export type ConfigDocument = {
  /** The text of the setting that stands there, such as at `prices.sources`. */
  textAt(path: string): string | undefined;
};

/** The settings of the file, or every fault with its path. */
export function readConfigFile(
  path: string,
  readFile: ReadFile,
): { readonly document: ConfigDocument } | { readonly faults: readonly string[] } {
  const file = tryReadFile(readFile, path);
  if ('fault' in file) return { faults: [`TRILHO_CONFIG: ${file.fault}.`] };
  const json = parseJson(file.text);
  if (!json) return { faults: ['TRILHO_CONFIG: the file is not JSON.'] };
  const checked = checkSchema(ConfigFile, json.value);
  if ('faults' in checked) {
    return { faults: checked.faults.map(({ path: at, message }) => `TRILHO_CONFIG: ${at || 'the file'} ${message}.`) };
  }
  const textAt = (at: string) => {
    const value = valueAt(checked.value, at.split('.'));
    return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  };
  return { document: { textAt } };
}
