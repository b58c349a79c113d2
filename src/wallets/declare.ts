// Declarations of the holder of a wallet, for wallets whose key cannot sign or need not. They are stored and never shown.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import { normaliseDocument } from '../charges/create/check.ts';
import type { Clock } from '../lib/clock.ts';
import type { Fault } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database } from '../storage/database.ts';
import { lockWallet, requireWallet } from './require.ts';
import { type Declaration, insertDeclaration, isDeclared } from './store-ownership.ts';
import type { Actor, Wallet } from './wallet.ts';

type DeclareDeps = { readonly db: Database; readonly clock: Clock };

/** The fault of a document that is neither a CPF nor a CNPJ. Its text is not repeated. */
export function checkDeclaration({ holderDocument }: Partial<Declaration>): Fault[] {
  if (holderDocument === undefined) return [];
  const document = normaliseDocument(holderDocument);
  const isCpf = /^\d{11}$/.test(document) && isValidCpf(document);
  const isCnpj = /^[0-9A-Z]{12}\d{2}$/.test(document) && isValidCnpj(document, { version: 2 });
  if (isCpf || isCnpj) return [];
  const message = 'must be a CPF or a CNPJ with right check digits; omit it for a holder without one';
  return [{ path: 'holderDocument', code: 'not_a_document', message }];
}

/** Records a declaration that passes `checkDeclaration`. A repeat of the newest one is not recorded again. */
export async function declareWallet(
  { db, clock }: DeclareDeps,
  id: string,
  { holderDocument, ...given }: Declaration,
  { by, accountId }: { readonly by: Actor; readonly accountId?: string | undefined },
): Promise<Wallet> {
  const at = clock.now();
  const document = holderDocument === undefined ? undefined : normaliseDocument(holderDocument);
  const declaration = { ...given, ...(document !== undefined && { holderDocument: document }) };
  const declarationId = uuidV7(at);
  return db.transaction(async tx => {
    const wallet = await lockWallet(tx, id, { accountId });
    if (await isDeclared(tx, wallet, declaration)) return wallet;
    await insertDeclaration(tx, wallet, declaration, { id: declarationId, at, by });
    return requireWallet(tx, id, accountId);
  });
}
