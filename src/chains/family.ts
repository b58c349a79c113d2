// What a family of chains declares, and what the file of a network declares. Everything else is derived from these: lists, limits,
// schemas, texts of pages.
import type { TSchema } from 'typebox';
import type { AssetSymbol } from './symbol.ts';

export type Token = { readonly address: string; readonly decimals: number };

/** How much may leave in live while the settings do not say it, in units as text. */
export type DefaultLimits = { readonly perPayout: string; readonly perDay: string };

/** What a network takes its fees in. One that is no asset has limits of its own. */
export type Coin = { readonly decimals: number } & (
  | { readonly symbol: AssetSymbol; readonly limits?: undefined }
  | { readonly symbol: string; readonly limits: DefaultLimits }
);

/** All that is known of one network, whatever its family. Addresses and decimals are checked against a node before anything is sent. */
export type NetworkFacts = {
  /** Its name in the interface, in settings and in the database; it never changes. */
  readonly id: string;
  /** Its name for people. */
  readonly label: string;
  /** The number of confirmations, its own block included, after which a transfer is done. */
  readonly confirmations: number;
  readonly blockMs: number;
  /** Some coins are assets that can be paid out too. */
  readonly coin: Coin;
  readonly tokens: { readonly [S in AssetSymbol]?: Token };
  /**
   * The least that an order may send, in units of each asset, unless the settings say otherwise. Worth at least what the network takes for a
   * transfer.
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

/** The addresses of a family: twenty bytes, which people write in its own way. */
export type AddressForm = {
  /** What a text must be, after «must be». */
  readonly form: string;
  /** What it is, after «is an address of». */
  readonly of: string;
  /** How people write it, for the API. */
  readonly description: string;
  /** Whether a text has the form; its checksum may still be wrong. */
  readonly pattern: RegExp;
  /** Reads a text that has the form into its canonical spelling. */
  read(text: string): AddressReading;
  /** What a text without the form most likely is; undefined when it is like nothing else. */
  mistake(text: string): string | undefined;
  /** The address of twenty bytes. */
  fromBody(body: Uint8Array): string;
  /** How lists of others write it, which may keep no checksum. */
  readonly listedAs: RegExp;
  /**
   * The twenty bytes of an address that was read, or that is listed so, as lower-case hexadecimal digits. Undefined when a checksum that no
   * list leaves out is wrong.
   */
  bodyOf(address: string): string | undefined;
};

/** The hashes of a family: 32 bytes. */
export type HashForm = {
  /** What a text must be, after «must be». */
  readonly form: string;
  readonly pattern: RegExp;
  /** The hash of 64 lower-case hexadecimal digits. */
  fromDigits(digits: string): string;
};

/** A family of chains: networks whose nodes, addresses and transactions are alike. */
export type ChainFamily = {
  readonly kind: string;
  /** Its name for people, and that of its networks together. */
  readonly label: string;
  readonly networksLabel: string;
  readonly networks: readonly NetworkFacts[];
  readonly addresses: AddressForm;
  readonly hashes: HashForm;
  /** How the holder of a wallet signs a text: what wallets put before it, the function that signs, and the standard, if there is one. */
  readonly messages: { readonly prefix: string; readonly signedWith: string; readonly standard?: string };
  /**
   * Whether a network takes one transaction at most for each slot (a nonce). Where it does not, nothing more is signed after a restore for
   * what was under way.
   */
  readonly hasNonces: boolean;
  /** An entry of `chains` in the settings. */
  readonly entry: TSchema;
};
