// Signs with a key inside an HSM, by PKCS#11. The key never leaves it; signatures are not deterministic.
import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesOf } from './hex-bytes.ts';
import { CK, codeOf, type Handle, loadModule, type Pkcs11, type SettingFault } from './pkcs11-module.ts';
import { signRecoverable } from './recoverable.ts';
import { type DigestSigner, SignerRefused, SignerSilent } from './signer.ts';

type Pkcs11Settings = {
  readonly module: string;
  /** The label of the token. */
  readonly token: string;
  /** The label of the key, or its id as hexadecimal digits. */
  readonly key?: string;
  readonly keyId?: string;
  readonly packageFolder?: string;
};

const SIGN_TIMEOUT_MS = 3_000;
const SIGNATURE_BYTES = 64;
const PUBLIC_KEY_BYTES = 65;
/** The object identifier of secp256k1 (1.3.132.0.10) in DER. */
const SECP256K1 = Buffer.from('06052b8104000a', 'hex');

type Session = { readonly handle: Handle; readonly key: Handle };
type Opened<T> = T | { readonly fault: SettingFault };

/** The signer, or what is wrong with its settings. The HSM must answer: a digest is signed to see that the keys are a pair. */
export async function openPkcs11(
  settings: Pkcs11Settings,
  pin: string,
): Promise<Opened<{ readonly signer: DigestSigner }>> {
  const loadedModule = loadModule(settings);
  if ('fault' in loadedModule) return loadedModule;
  const { pkcs11 } = loadedModule;
  try {
    const opened = openSession(pkcs11, settings, pin);
    if ('fault' in opened) return opened;
    const found = publicKeyIn(pkcs11, settings, opened.session);
    if ('fault' in found) return found;
    const signDigest = inTurn(sessionSigner(pkcs11, settings, pin, opened.session));
    const signer: DigestSigner = { kind: 'digest', publicKey: found.publicKey, signDigest };
    await signRecoverable(signer, randomBytes(32));
    return { signer };
  } catch (error) {
    if (error instanceof SignerRefused) return faultAt(settings, 'is a private key that does not fit its public key');
    if (error instanceof SignerSilent) return { fault: { path: 'token', message: `does not sign: ${error.message}` } };
    return { fault: { path: 'token', message: `cannot be used (${codeOf(error)})` } };
  }
}

function openSession(pkcs11: Pkcs11, settings: Pkcs11Settings, pin: string): Opened<{ readonly session: Session }> {
  const labelled = pkcs11.C_GetSlotList(true).map(slot => ({ slot, label: pkcs11.C_GetTokenInfo(slot).label }));
  // PKCS#11 pads labels with blanks to 32 bytes.
  const slots = labelled.filter(({ label }) => label.trimEnd() === settings.token.trimEnd());
  const [found] = slots;
  if (!found) return { fault: { path: 'token', message: 'is the label of no token that the module has' } };
  if (slots.length > 1) return { fault: { path: 'token', message: 'is the label of more than one token' } };
  const handle = pkcs11.C_OpenSession(found.slot, CK.CKF_SERIAL_SESSION);
  const opened = findKey(pkcs11, settings, pin, handle);
  if ('fault' in opened) close(pkcs11, handle);
  return opened;
}

function findKey(
  pkcs11: Pkcs11,
  settings: Pkcs11Settings,
  pin: string,
  handle: Handle,
): Opened<{ readonly session: Session }> {
  try {
    pkcs11.C_Login(handle, CK.CKU_USER, pin);
  } catch (error) {
    const code = codeOf(error);
    // The login is the token's, not the session's: another key of it was opened before.
    if (code !== 'CKR_USER_ALREADY_LOGGED_IN') {
      return { fault: { path: 'pinFile', message: `is not taken as the PIN of the token (${code})` } };
    }
  }
  const [key, ...others] = findObjects(pkcs11, handle, CK.CKO_PRIVATE_KEY, settings);
  if (!key) return faultAt(settings, 'names no private key of the token');
  if (others.length > 0) return faultAt(settings, 'names more than one private key of the token');
  return { session: { handle, key } };
}

function publicKeyIn(
  pkcs11: Pkcs11,
  settings: Pkcs11Settings,
  { handle }: Session,
): Opened<{ readonly publicKey: Uint8Array }> {
  const [object] = findObjects(pkcs11, handle, CK.CKO_PUBLIC_KEY, settings);
  if (!object) return faultAt(settings, 'names no public key of the token, which must stand beside the private one');
  const [curve, point] = pkcs11.C_GetAttributeValue(handle, object, [
    { type: CK.CKA_EC_PARAMS },
    { type: CK.CKA_EC_POINT },
  ]);
  // A DER octet string as the standard says, or the bare point as some HSMs have it.
  const publicKey = Uint8Array.from(point?.value.subarray(-PUBLIC_KEY_BYTES) ?? []);
  if (!curve?.value.equals(SECP256K1) || !secp256k1.utils.isValidPublicKey(publicKey, false)) {
    return faultAt(settings, 'is not a key on the curve secp256k1');
  }
  return { publicKey };
}

const MAX_OBJECTS = 2;

function findObjects(pkcs11: Pkcs11, session: Handle, kind: number, { key, keyId }: Pkcs11Settings): Handle[] {
  const name =
    keyId === undefined ? { type: CK.CKA_LABEL, value: key ?? '' } : { type: CK.CKA_ID, value: bytesOf(keyId) ?? '' };
  pkcs11.C_FindObjectsInit(session, [{ type: CK.CKA_CLASS, value: kind }, name]);
  try {
    return pkcs11.C_FindObjects(session, MAX_OBJECTS);
  } finally {
    pkcs11.C_FindObjectsFinal(session);
  }
}

type SignDigest = DigestSigner['signDigest'];

/** After an error it signs in a new session: an HSM that was away has dropped the old one. */
function sessionSigner(pkcs11: Pkcs11, settings: Pkcs11Settings, pin: string, first: Session): SignDigest {
  let session: Session | undefined = first;
  let fault: SettingFault | undefined;

  function reopened(): Session {
    const opened = openSession(pkcs11, settings, pin);
    if ('session' in opened) return opened.session;
    // A PIN that is refused is not tried again: a few tries lock a token.
    if (opened.fault.path === 'pinFile') fault = opened.fault;
    throw new SignerSilent(`The HSM cannot be used: ${opened.fault.path} ${opened.fault.message}.`);
  }

  return async digest => {
    if (fault)
      throw new SignerRefused(`The HSM is no longer used: ${fault.path} ${fault.message}. Restart to try it again.`);
    try {
      session ??= reopened();
      pkcs11.C_SignInit(session.handle, { mechanism: CK.CKM_ECDSA }, session.key);
      return await pkcs11.C_SignAsync(session.handle, Buffer.from(digest), Buffer.alloc(SIGNATURE_BYTES));
    } catch (error) {
      if (session) close(pkcs11, session.handle);
      session = undefined;
      throw error instanceof SignerSilent ? error : new SignerSilent(`The HSM does not sign (${codeOf(error)}).`);
    }
  };
}

function close(pkcs11: Pkcs11, handle: Handle): void {
  try {
    pkcs11.C_CloseSession(handle);
  } catch {
    // It was closed by the HSM.
  }
}

/** A session does one thing at a time. A request that has waited too long fails, with that reason, and is not signed. */
function inTurn(sign: SignDigest): SignDigest {
  let last: Promise<unknown> = Promise.resolve();
  return digest =>
    new Promise((resolve, reject) => {
      let isLate = false;
      const limit = setTimeout(() => {
        isLate = true;
        reject(new SignerSilent(`The HSM does not answer within ${SIGN_TIMEOUT_MS / 1000} s.`));
      }, SIGN_TIMEOUT_MS);
      last = last
        .then(() => (isLate ? undefined : sign(digest).then(resolve, reject)))
        .finally(() => clearTimeout(limit));
    });
}

function faultAt({ keyId }: Pkcs11Settings, message: string): { readonly fault: SettingFault } {
  return { fault: { path: keyId === undefined ? 'key' : 'keyId', message } };
}
