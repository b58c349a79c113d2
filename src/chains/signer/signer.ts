// How a chain gets its signatures. The chain checks what a signer returns before it is saved: s is made low, the parity found, and the
// address recovered and compared.

/** Signs digests with a secp256k1 key: a file, an HSM. Serves EVM and Tron. */
export type DigestSigner = {
  readonly kind: 'digest';
  /** The uncompressed public key: 65 bytes, the first is 4. */
  readonly publicKey: Uint8Array;
  /** 64 bytes r ‖ s; s may be high. Throws `SignerSilent` or `SignerRefused`. */
  signDigest(digest: Uint8Array): Promise<Uint8Array>;
};

/** A remote signer that signs whole EVM transactions (`eth_signTransaction`). */
export type TransactionSigner = {
  readonly kind: 'transaction';
  /** With its EIP-55 checksum. */
  readonly address: string;
  /** The signed bytes, 0x-prefixed hexadecimal text. Throws `SignerSilent` or `SignerRefused`. */
  signTransaction(transaction: UnsignedTransaction): Promise<string>;
};

/** A transaction of type 2 (EIP-1559). */
export type UnsignedTransaction = {
  readonly chainId: number;
  readonly nonce: bigint;
  readonly to: string;
  readonly value: bigint;
  /** 0x-prefixed hexadecimal text. */
  readonly data: string;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
};

export type Signer = DigestSigner | TransactionSigner;

/** The signer did not answer; it is asked again later. */
export class SignerSilent extends Error {
  override readonly name = 'SignerSilent';
}

/** The signer answered, but without a signature of its key. The message is for operators and holds no secret. */
export class SignerRefused extends Error {
  override readonly name = 'SignerRefused';
}
