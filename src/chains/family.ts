// What a family of chains declares, and what the file of a network declares. Lists, limits, schemas and texts of pages are derived from
// these.
import type { TSchema } from 'typebox';
import type { AssetSymbol } from './symbol.ts';

export type Token = { readonly address: string; readonly decimals: number };

/** The default limits of live, in units as text. */
export type DefaultLimits = { readonly perPayout: string; readonly perDay: string };

/** The coin that fees are paid in. One that is not an asset has limits of its own. */
export type Coin = { readonly decimals: number } & (
  | { readonly symbol: AssetSymbol; readonly limits?: undefined }
  | { readonly symbol: string; readonly limits: DefaultLimits }
);

/** Everything known of one network, in any family. Addresses and decimals are checked against a node before anything is sent. */
export type NetworkFacts = {
  /** Its name in the API, in settings and in the database; it never changes. */
  readonly id: string;
  /** Its name for people. */
  readonly label: string;
  /** The number of confirmations, its own block included, after which a transfer is done. */
  readonly confirmations: number;
  readonly blockMs: number;
  /** Some coins can also be paid out as assets. */
  readonly coin: Coin;
  readonly tokens: { readonly [S in AssetSymbol]?: Token };
  /**
   * The least that an order may send, in units of each asset, unless the settings say otherwise. Worth at least the fee of a transfer.
   */
  readonly minimums: { readonly [S in AssetSymbol]?: string };
  /** Where a person looks up what is on the network; a hash or an address follows. */
  readonly explorer: { readonly transaction: string; readonly address: string };
  /**
   * Contracts of common tokens that the service does not pay out, by their symbols: wrapped coins, bridged dollars, foreign tokens. A caller
   * who gives one as a wallet has pasted the token's address by mistake.
   *
   * Sources, read on 2026-11-16: the token lists of the npm packages @uniswap/default-token-list 22.21.0 and @bgd-labs/aave-address-book
   * 4.44.22 for the EVM networks, where most addresses are in both; for Tron the lists of two public wallets (bitlogik/uniblow,
   * rabbitio/wallet-public), and for USDD of 2025 that of OneKey. BRZ and BRLA are in the adapters of DefiLlama/peggedassets-server; they,
   * CAKE, AERO, stUSDT, the old BRZ of Ethereum and the ETH of Tron that its swaps and lenders use are each in five or more other public
   * token lists, which agree on symbol and network.
   */
  readonly otherTokens: Readonly<Record<string, string>>;
};

export type AddressRefusal = {
  readonly code:
    | 'not_an_address'
    | 'wrong_checksum'
    | 'zero_address'
    | 'burn_address'
    | 'token_contract'
    | 'own_address';
  readonly message: string;
};

/** An address in its canonical spelling, or why it is refused. */
export type AddressReading =
  | { readonly address: string; readonly refusal?: undefined }
  | { readonly address?: undefined; readonly refusal: AddressRefusal };

/** The addresses of a family: twenty bytes in the family's own notation. */
export type AddressForm = {
  /** The expected form, after «must be». */
  readonly form: string;
  /** What it is, after «is an address of». */
  readonly of: string;
  /** How people write it, for the API. */
  readonly description: string;
  /** Whether a text has this form; its checksum may still be wrong. */
  readonly pattern: RegExp;
  /** Reads a text of this form into its canonical spelling. */
  read(text: string): AddressReading;
  /** What a text of another form most likely is; undefined when it resembles nothing. */
  mistake(text: string): string | undefined;
  /** The address of twenty bytes. */
  fromBody(body: Uint8Array): string;
  /** How third-party lists write it, possibly without a checksum. */
  readonly listedAs: RegExp;
  /**
   * The twenty bytes of an address that was read, or that is listed so, as lower-case hexadecimal digits. Undefined when a checksum that no
   * list leaves out is wrong.
   */
  bodyOf(address: string): string | undefined;
};

/** The hashes of a family: 32 bytes. */
export type HashForm = {
  /** The expected form, after «must be». */
  readonly form: string;
  readonly pattern: RegExp;
  /** The hash of 64 lower-case hexadecimal digits. */
  fromDigits(digits: string): string;
};

/** A family of chains: networks with the same kind of nodes, addresses and transactions. */
export type ChainFamily = {
  readonly kind: string;
  /** Its name for people, and the name for its networks together. */
  readonly label: string;
  readonly networksLabel: string;
  readonly networks: readonly NetworkFacts[];
  readonly addresses: AddressForm;
  readonly hashes: HashForm;
  /** How the holder of a wallet signs a text: the prefix that wallets add, the function that signs, and the standard, if there is one. */
  readonly messages: { readonly prefix: string; readonly signedWith: string; readonly standard?: string };
  /**
   * Whether a network accepts at most one transaction for each slot (a nonce). Where it does not, payouts that were under way are not
   * signed again after a restore.
   */
  readonly hasNonces: boolean;
  /** An entry of `chains` in the settings. */
  readonly entry: TSchema;
  /**
   * What is wrong with an entry for a sandbox, which sends only on nodes that cannot be the real network. Absent where an entry cannot
   * show it: a sandbox then has the simulated chain alone.
   */
  readonly faultOfTestNode?: (entry: { readonly test?: object | undefined }) => string | undefined;
};
