// Compares the encoder of Tron transfers with tronweb, byte for byte, over transfers from a seeded generator.
import assert from 'node:assert/strict';
import { TronWeb, utils } from 'tronweb';
import { addressOf } from '../../src/chains/address.ts';
import { keySigner } from '../../src/chains/signer/key-signer.ts';
import { addressesOf, signRecoverable } from '../../src/chains/signer/recoverable.ts';
import type { DigestSigner } from '../../src/chains/signer/signer.ts';
import { transferCall } from '../../src/chains/tron/abi.ts';
import { hexAddress } from '../../src/chains/tron/hex-address.ts';
import {
  signatureBytes,
  signedTransaction,
  type TronTransfer,
  unsignedTransaction,
} from '../../src/chains/tron/transaction.ts';
import { type Random, randomFrom } from '../../src/sandbox/tron-node/random.ts';

/** `tronweb` takes amounts of TRX as numbers. */
const MAX_EXACT = 2n ** 53n - 1n;
const MAX_WORD = 2n ** 256n - 1n;
const KEYS = 50;

/** Throws at the first transfer that differs; returns how many of each kind were compared. */
export async function proveEncoder(
  count: number,
  seed: number,
): Promise<{ readonly coin: number; readonly token: number }> {
  const random = randomFrom(seed);
  const keys = Array.from({ length: KEYS }, () => {
    const key = bytes(random, 32);
    const signer = keySigner(key);
    return { key, signer, owner: addressesOf(signer.publicKey).tron };
  });
  const compared = { coin: 0, token: 0 };
  for (let index = 0; index < count; index++) {
    const { key, signer, owner } = keys[index % KEYS]!;
    const transfer = randomTransfer(random, owner);
    assert.deepEqual(await ours(transfer, signer), theirs(transfer, key), `transfer ${index} of seed ${seed}`);
    compared[transfer.token ? 'token' : 'coin']++;
  }
  return compared;
}

type Encoded = { readonly rawData: string; readonly id: string; readonly signature: string; readonly signed: string };

async function ours(transfer: TronTransfer, signer: DigestSigner): Promise<Encoded> {
  const unsigned = unsignedTransaction(transfer);
  const signature = await signRecoverable(signer, unsigned.id);
  return {
    rawData: hex(unsigned.rawData),
    id: hex(unsigned.id),
    signature: hex(signatureBytes(signature)),
    signed: hex(signedTransaction(unsigned, signature)),
  };
}

function theirs(transfer: TronTransfer, key: Uint8Array): Encoded {
  const { owner, to, units, token, reference, expirationMs, timestampMs } = transfer;
  const type = token ? 'TriggerSmartContract' : 'TransferContract';
  const addresses = { owner_address: hexAddress(owner) };
  const value = token
    ? { ...addresses, contract_address: hexAddress(token.contract), data: transferCall(to, units) }
    : { ...addresses, to_address: hexAddress(to), amount: Number(units) };
  const json = {
    visible: false,
    txID: '',
    raw_data_hex: '',
    raw_data: {
      contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
      ref_block_bytes: (reference.number & 0xffff).toString(16).padStart(4, '0'),
      ref_block_hash: reference.id.slice(16, 32),
      expiration: expirationMs,
      timestamp: timestampMs,
      ...(token && { fee_limit: Number(token.feeLimit) }),
    },
  };
  const message = utils.transaction.txJsonToPb(json);
  const id = utils.transaction.txPbToTxID(message).replace(/^0x/, '');
  const { signature } = utils.crypto.signTransaction(hex(key), { ...json, txID: id });
  message.addSignature(Buffer.from(signature[0]!.replace(/^0x/, ''), 'hex'));
  return {
    rawData: utils.transaction.txPbToRawDataHex(message).toLowerCase(),
    id,
    signature: signature[0]!.replace(/^0x/, '').toLowerCase(),
    signed: hex(message.serializeBinary()),
  };
}

function randomTransfer(random: Random, owner: string): TronTransfer {
  const isToken = random.next() < 0.5;
  const nowMs = Math.floor(random.next() * 4e12);
  const to = addressOf('tron', bytes(random, 20));
  assert.ok(TronWeb.isAddress(to));
  return {
    owner,
    to,
    units: 1n + integer(random, (isToken ? MAX_WORD : MAX_EXACT) - 1n),
    ...(isToken && {
      token: { contract: addressOf('tron', bytes(random, 20)), feeLimit: integer(random, 15_000_000_000n) },
    }),
    reference: { number: Math.floor(random.next() * 2 ** 31), id: hex(bytes(random, 32)) },
    expirationMs: nowMs + 1 + Math.floor(random.next() * 86_400_000),
    timestampMs: nowMs,
  };
}

/** Of any length up to that of the largest, so that short encodings are as frequent as long ones. */
function integer(random: Random, max: bigint): bigint {
  const bits = 1 + Math.floor(random.next() * max.toString(2).length);
  let value = 0n;
  for (let bit = 0; bit < bits; bit++) value = (value << 1n) | (random.next() < 0.5 ? 0n : 1n);
  return value > max ? max : value;
}

function bytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random.next() * 256));
}

const hex = (value: Uint8Array) => Buffer.from(value).toString('hex');
