// Proofs that an account holds the key of a wallet: a text to sign, used once, and the check of its signature.
import { randomBytes } from 'node:crypto';
import { messageSigner } from '../chains/signed-message.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database } from '../storage/database.ts';
import { lockWallet, requireWallet } from './require.ts';
import {
  type Challenge,
  deleteChallenge,
  findChallenge,
  hasProof,
  insertProof,
  replaceChallenge,
} from './store-ownership.ts';
import type { Actor, Wallet } from './wallet.ts';

type ProveDeps = { readonly db: Database; readonly clock: Clock };

/** Long enough for a key that several people keep offline. */
const CHALLENGE_LIFE_MS = 24 * 60 * 60 * 1000;
const NONCE_BYTES = 16;

/** A new text to sign; it replaces the previous one. Refuses a contract, which has no key to sign with. */
export async function challengeWallet({ db, clock }: ProveDeps, id: string, accountId?: string): Promise<Challenge> {
  const now = clock.now();
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  return db.transaction(async tx => {
    const wallet = await lockWallet(tx, id, { accountId });
    requireKey(wallet);
    const expiresAt = new Date(now.getTime() + CHALLENGE_LIFE_MS);
    const challenge = { message: challengeText(wallet, nonce, expiresAt), expiresAt };
    await replaceChallenge(tx, wallet, challenge);
    return challenge;
  });
}

type ProofInput = { readonly signature: string; readonly by: Actor };

/**
 * Records that the key of the wallet signed its open challenge. The same signature again changes nothing. Refuses a signature by another
 * key, and leaves the challenge open.
 */
export async function proveWallet(
  { db, clock }: ProveDeps,
  id: string,
  { by, ...given }: ProofInput,
  accountId?: string,
): Promise<Wallet> {
  const now = clock.now();
  // Normalised, so that the same signature is the same text.
  const signature = `0x${given.signature.replace(/^0x/, '').toLowerCase()}`;
  const proofId = uuidV7(now);
  return db.transaction(async tx => {
    const wallet = await lockWallet(tx, id, { accountId });
    if (await hasProof(tx, wallet, signature)) return wallet;
    requireKey(wallet);
    const challenge = await findChallenge(tx, wallet);
    if (!challenge) throw new AppError('wrong_state', 'This wallet has no open challenge: ask for one first.');
    if (challenge.expiresAt <= now) {
      throw new AppError('wrong_state', 'The challenge of this wallet has expired: ask for a new one.');
    }
    if (messageSigner(wallet.network, challenge.message, signature) !== wallet.address) {
      throw invalidRequest([
        {
          path: 'signature',
          code: 'other_signer',
          message: 'is not a signature of the open challenge by the key of this wallet',
        },
      ]);
    }
    await deleteChallenge(tx, wallet);
    await insertProof(tx, wallet, { id: proofId, message: challenge.message, signature, provenAt: now, provenBy: by });
    return requireWallet(tx, id, accountId);
  });
}

/** A contract can verify signatures by its own code (EIP-1271), which this service does not call. */
function requireKey({ isContract }: Wallet): void {
  if (!isContract) return;
  throw new AppError(
    'wrong_state',
    'This wallet is a contract, which has no key to sign with: record a declaration (POST /wallets/{id}/declaration).',
  );
}

/** What a person reads in the wallet before signing. The account is in quotes, since it may be any text. */
function challengeText({ id, accountId, network, address }: Wallet, nonce: string, expiresAt: Date): string {
  return [
    'Trilho asks for proof that you hold this wallet.',
    '',
    `Account: ${JSON.stringify(accountId)}`,
    `Wallet: ${id}`,
    `Network: ${network}`,
    `Address: ${address}`,
    `Nonce: ${nonce}`,
    `Expires: ${expiresAt.toISOString()}`,
    '',
    'To sign this text moves nothing and costs nothing.',
  ].join('\n');
}
