// The secrets, the certificate and the key of a rail, read from their files. No message repeats the content of a file or its path: someone
// may have put the secret where the path belongs.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import { readSecretFile } from '../../lib/settings/sealed-file.ts';
import { type ClientProfile, PROFILE_VALUES, type ProfileValue } from './profile.ts';
import type { ClientSettings, SettingFault } from './settings.ts';

export type Credentials = {
  readonly tls: SecureContextOptions;
  /** Of this client; absent where the PSP does not want it. */
  readonly certificate?: X509Certificate;
  readonly clientSecret?: string;
  readonly values: Readonly<Partial<Record<ProfileValue, string>>>;
};

const FILE_SETTINGS = [
  'clientSecretFile',
  'certificateFile',
  'privateKeyFile',
  'pkcs12File',
  'passwordFile',
  'caFile',
  'appKeyFile',
  'accessTokenFile',
] as const;
type FileSetting = (typeof FILE_SETTINGS)[number];

const MAX_FILE_BYTES = 1024 * 1024;

/** The credentials, or every fault with its setting. */
export function readCredentials(
  settings: ClientSettings,
  profile: ClientProfile,
): { readonly credentials: Credentials } | { readonly faults: readonly SettingFault[] } {
  const faults: SettingFault[] = [];
  const { files, faults: unreadable } = readFiles(settings);
  faults.push(...unreadable);

  /** A secret that may be given as text or as a file. */
  const secret = (name: 'clientSecret' | 'appKey' | 'accessToken', isNeeded: boolean): string | undefined => {
    const fromFile = files[`${name}File`]?.toString('utf8').replace(/\r?\n$/, '');
    const given = settings[name];
    if (given !== undefined && settings[`${name}File`] !== undefined) {
      faults.push({ path: name, message: `is also given as ${name}File; keep one` });
    }
    if (fromFile === '') faults.push({ path: `${name}File`, message: 'is an empty file' });
    const isGiven = given !== undefined || settings[`${name}File`] !== undefined;
    if (isNeeded && !isGiven) faults.push({ path: name, message: `is required, or ${name}File` });
    return given ?? fromFile;
  };

  const needsSecret = profile.credentials !== 'id-only' && !profile.hasFixedToken;
  const clientSecret = secret('clientSecret', needsSecret);
  const needs = (name: ProfileValue) => profile.needs.includes(name);
  const values = {
    accountNumber: settings.accountNumber,
    appKey: secret('appKey', needs('appKey')),
    accessToken: secret('accessToken', needs('accessToken')),
  } satisfies Record<ProfileValue, string | undefined>;
  if (needs('accountNumber') && values.accountNumber === undefined) {
    faults.push({ path: 'accountNumber', message: `is required for the profile ${settings.profile}` });
  }

  const identity = readIdentity(settings, profile, files);
  faults.push(...identity.faults);
  const ca = files.caFile;
  if (ca && !parseCertificate(ca)) faults.push({ path: 'caFile', message: 'holds no certificate in PEM' });

  if (faults.length > 0) return { faults };
  return {
    credentials: {
      tls: { ...identity.tls, ...(ca && { ca }) },
      ...(identity.certificate && { certificate: identity.certificate }),
      ...(clientSecret !== undefined && { clientSecret }),
      values: Object.fromEntries(PROFILE_VALUES.flatMap(name => (values[name] ? [[name, values[name]]] : []))),
    },
  };
}

/** Differs when a file was replaced or changed. */
export function filesVersion(settings: ClientSettings): string {
  const versions = FILE_SETTINGS.map(name => {
    const path = settings[name];
    if (path === undefined) return '';
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : 'missing';
  });
  return versions.join(' ');
}

type Files = Readonly<Partial<Record<FileSetting, Buffer>>>;

function readFiles(settings: ClientSettings): { readonly files: Files; readonly faults: readonly SettingFault[] } {
  const files: Partial<Record<FileSetting, Buffer>> = {};
  const faults: SettingFault[] = [];
  for (const name of FILE_SETTINGS) {
    const path = settings[name];
    if (path === undefined) continue;
    try {
      const content = readSecretFile(path);
      if (content.length > MAX_FILE_BYTES) faults.push({ path: name, message: 'is larger than a mebibyte' });
      else files[name] = content;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      faults.push({ path: name, message: `cannot be read (${code})` });
    }
  }
  return { files, faults };
}

type Identity = {
  readonly tls: SecureContextOptions;
  readonly certificate?: X509Certificate;
  readonly faults: readonly SettingFault[];
};

const wrong = (path: string, message: string): Identity => ({ tls: {}, faults: [{ path, message }] });

function readIdentity(settings: ClientSettings, profile: ClientProfile, files: Files): Identity {
  const hasPem = settings.certificateFile !== undefined || settings.privateKeyFile !== undefined;
  const hasPkcs12 = settings.pkcs12File !== undefined;
  if (hasPem && hasPkcs12)
    return wrong('pkcs12File', 'is given together with certificateFile or privateKeyFile; keep one');
  const password = files.passwordFile?.toString('utf8').replace(/\r?\n$/, '');
  if (hasPkcs12) return files.pkcs12File ? readPkcs12(files.pkcs12File, password) : { tls: {}, faults: [] };
  if (hasPem) return readPem(settings, files, password);
  if (!profile.usesClientCertificate) return { tls: {}, faults: [] };
  return wrong('certificateFile', 'is required with privateKeyFile, or pkcs12File');
}

function readPem(settings: ClientSettings, files: Files, password: string | undefined): Identity {
  if (settings.certificateFile === undefined) return wrong('certificateFile', 'is required with privateKeyFile');
  if (settings.privateKeyFile === undefined) return wrong('privateKeyFile', 'is required with certificateFile');
  const { certificateFile: cert, privateKeyFile: key } = files;
  // A file that cannot be read has a fault of its own.
  if (!cert || !key) return { tls: {}, faults: [] };
  const certificate = parseCertificate(cert);
  if (!certificate) return wrong('certificateFile', 'holds no certificate in PEM');
  const privateKey = parseKey(key, password);
  if (!privateKey) {
    const hint = password === undefined ? '; an encrypted one needs passwordFile' : ', or its password is another';
    return wrong('privateKeyFile', `holds no private key in PEM${hint}`);
  }
  if (!certificate.checkPrivateKey(privateKey)) return wrong('privateKeyFile', 'does not belong to certificateFile');
  const tls = { cert, key, ...(password !== undefined && { passphrase: password }) };
  return { tls, certificate, faults: [] };
}

function readPkcs12(pfx: Buffer, password: string | undefined): Identity {
  const tls = { pfx, ...(password !== undefined && { passphrase: password }) };
  try {
    const certificate = certificateIn(tls);
    return certificate ? { tls, certificate, faults: [] } : wrong('pkcs12File', 'holds no certificate with its key');
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === 'ERR_CRYPTO_UNSUPPORTED_OPERATION') {
      return wrong('pkcs12File', 'has an outdated encryption; convert it once with openssl pkcs12 -legacy');
    }
    // OpenSSL has no code for it.
    if (message === 'mac verify failure') return wrong('passwordFile', 'is not the password of pkcs12File');
    return wrong('pkcs12File', 'is not a PKCS#12 file');
  }
}

/** An unconnected TLS socket shows its own certificate; Node has no other reader of PKCS#12. */
function certificateIn(options: SecureContextOptions): X509Certificate | undefined {
  const nowhere = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const socket = new TLSSocket(nowhere, { isServer: true, secureContext: createSecureContext(options) });
  const certificate = socket.getX509Certificate();
  socket.destroy();
  return certificate;
}

function parseCertificate(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function parseKey(key: Buffer, passphrase: string | undefined): KeyObject | undefined {
  try {
    return createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    return undefined;
  }
}
