// The part of PKCS#11 that signing needs, through the package `pkcs11js`. It is native code and not a dependency of this project: operators
// with an HSM install it.
import { createRequire } from 'node:module';
import path from 'node:path';

/** The numbers are those of the standard (PKCS#11 2.40). */
export const CK = {
  CKA_CLASS: 0x000,
  CKA_LABEL: 0x003,
  CKA_ID: 0x102,
  CKA_EC_PARAMS: 0x180,
  CKA_EC_POINT: 0x181,
  CKO_PUBLIC_KEY: 2,
  CKO_PRIVATE_KEY: 3,
  CKM_ECDSA: 0x1041,
  CKU_USER: 1,
  CKF_SERIAL_SESSION: 4,
  CKF_OS_LOCKING_OK: 2,
} as const;

export type Handle = Buffer;
type Attribute = { readonly type: number; readonly value?: number | Buffer | string };

/** What is used of the class `PKCS11` of pkcs11js. */
export type Pkcs11 = {
  load(file: string): void;
  C_Initialize(options: { readonly flags: number }): void;
  C_GetSlotList(isTokenPresent: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_Login(session: Handle, user: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: readonly Attribute[]): void;
  C_FindObjects(session: Handle, max: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, template: readonly Attribute[]): { readonly value: Buffer }[];
  C_SignInit(session: Handle, mechanism: { readonly mechanism: number }, key: Handle): void;
  C_SignAsync(session: Handle, input: Buffer, output: Buffer): Promise<Buffer>;
};

/** One thing wrong with a setting; the message is the end of a sentence about `path`. */
export type SettingFault = { readonly path: string; readonly message: string };

const INSTALL =
  'npm install pkcs11js@2.1.7 --ignore-scripts=false, which needs a C++ compiler, make and Python; see docs/signers.md';

/** A library is initialised once in a process, however many keys are used of it. */
const loaded = new Map<string, Pkcs11>();

/** The library of an HSM's maker. `packageFolder` is where pkcs11js was installed; absent, beside this project. */
export function loadModule(settings: {
  readonly module: string;
  readonly packageFolder?: string;
}): { readonly pkcs11: Pkcs11 } | { readonly fault: SettingFault } {
  const file = path.resolve(settings.module);
  const known = loaded.get(file);
  if (known) return { pkcs11: known };
  const pkcs11 = createPkcs11(settings.packageFolder);
  if (!pkcs11) {
    const at = settings.packageFolder === undefined ? 'kind' : 'packageFolder';
    const message = at === 'kind' ? 'is pkcs11, which needs the package pkcs11js' : 'has no package pkcs11js';
    return { fault: { path: at, message: `${message}: ${INSTALL}` } };
  }
  try {
    pkcs11.load(file);
  } catch {
    return { fault: { path: 'module', message: 'is not a PKCS#11 library that can be loaded' } };
  }
  try {
    // Signing runs in threads of its own.
    pkcs11.C_Initialize({ flags: CK.CKF_OS_LOCKING_OK });
  } catch (error) {
    return { fault: { path: 'module', message: `cannot be initialised (${codeOf(error)})` } };
  }
  loaded.set(file, pkcs11);
  return { pkcs11 };
}

function createPkcs11(packageFolder: string | undefined): Pkcs11 | undefined {
  const from = packageFolder === undefined ? import.meta.url : path.resolve(packageFolder, 'package.json');
  try {
    const { PKCS11 }: { readonly PKCS11: new () => Pkcs11 } = createRequire(from)('pkcs11js');
    return new PKCS11();
  } catch {
    // Absent, or installed without its native part.
    return undefined;
  }
}

/** `CKR_PIN_INCORRECT` and the like; the messages of pkcs11js are such codes. */
export function codeOf(error: unknown): string {
  const [code = 'unknown error'] = error instanceof Error ? (/CKR_\w+/.exec(error.message) ?? []) : [];
  return code;
}
