// Compares the encoder of Tron transfers with tronweb, byte for byte, over transfers from a seeded generator.
import assert from 'node:assert/strict';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { TronWeb, utils } from 'tronweb';
import { addressOf } from '../../src/chains/address.ts';
import { transferCall } from '../../src/chains/tron/abi.ts';
import { hexAddress } from '../../src/chains/tron/hex-address.ts';
import { addressOfPublicKey, recoverableSignature } from '../../src/chains/tron/signature.ts';
import { signedTransaction, type TronTransfer, unsignedTransaction } from '../../src/chains/tron/transaction.ts';
import { type Random, randomFrom } from '../../src/sandbox/psp/random.ts';

/** `tronweb` takes amounts of TRX as numbers. */
const MAX_EXACT = 2n ** 53n - 1n;
const MAX_WORD = 2n ** 256n - 1n;
const KEYS = 50;

/** Throws at the first transfer that differs; returns how many of each kind were compared. */
export function proveEncoder(count: number, seed: number): { readonly coin: number; readonly token: number } {
  const random = randomFrom(seed);
  const keys = Array.from({ length: KEYS }, () => {
    const key = bytes(random, 32);
    return { key, owner: addressOfPublicKey(secp256k1.getPublicKey(key, false)) };
  });
  const compared = { coin: 0, token: 0 };
  for (let index = 0; index < count; index++) {
    const { key, owner } = keys[index % KEYS]!;
    const transfer = randomTransfer(random, owner);
    assert.deepEqual(ours(transfer, key), theirs(transfer, key), `transfer ${index} of seed ${seed}`);
    compared[transfer.token ? 'token' : 'coin']++;
  }
  return compared;
}

type Encoded = { readonly rawData: string; readonly id: string; readonly signature: string; readonly signed: string };

function ours(transfer: TronTransfer, key: Uint8Array): Encoded {
  const unsigned = unsignedTransaction(transfer);
  const compact = secp256k1.sign(unsigned.id, key, { prehash: false, lowS: false });
  const signature = recoverableSignature(unsigned.id, compact, transfer.owner);
  assert.ok(signature, 'the signature is of the key');
  return {
    rawData: hex(unsigned.rawData),
    id: hex(unsigned.id),
    signature: hex(signature),
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

/** Of any length up to that of the largest, so that short encodings are met as often as long ones. */
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
