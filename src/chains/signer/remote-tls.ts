// The certificate with which a remote signer knows this service, and the authority that vouches for the signer.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import { type FileText, readKeyFile, readPublicFile } from './key-files.ts';
import type { SettingFault } from './pkcs11-module.ts';

type RemoteTlsSettings = {
  readonly certificateFile?: string;
  readonly privateKeyFile?: string;
  readonly caFile?: string;
};

/** What TLS needs, or every fault with its setting. */
export function readRemoteTls(
  settings: RemoteTlsSettings,
): { readonly tls: SecureContextOptions } | { readonly faults: readonly SettingFault[] } {
  const faults: SettingFault[] = [];
  const read = (path: keyof RemoteTlsSettings, reader: (file: string) => FileText): string | undefined => {
    const file = settings[path];
    if (file === undefined) return undefined;
    const found = reader(file);
    if ('text' in found) return found.text;
    faults.push({ path, message: found.fault });
    return undefined;
  };
  const cert = read('certificateFile', readPublicFile);
  const key = read('privateKeyFile', readKeyFile);
  const ca = read('caFile', readPublicFile);
  const certificate = cert === undefined ? undefined : attempt(() => new X509Certificate(cert));
  const privateKey = key === undefined ? undefined : attempt(() => createPrivateKey(key));
  const noCertificate = 'holds no certificate in PEM';
  if (cert !== undefined && !certificate) faults.push({ path: 'certificateFile', message: noCertificate });
  if (ca !== undefined && !attempt(() => new X509Certificate(ca)))
    faults.push({ path: 'caFile', message: noCertificate });
  if (key !== undefined && !privateKey) faults.push({ path: 'privateKeyFile', message: 'holds no private key in PEM' });
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey)) {
    faults.push({ path: 'privateKeyFile', message: 'does not belong to certificateFile' });
  }
  if (faults.length > 0) return { faults };
  return {
    tls: { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }), ...(ca !== undefined && { ca }) },
  };
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
