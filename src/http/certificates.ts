// Certificates that expire: the client certificates for banks, and that of the receiver.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { allRails, type Rails } from '../rails/rails.ts';
import type { ReceiverSettings } from '../rails/receiver-entry.ts';

type DatedCertificate = {
  /** The name of a rail, or `receiver`. */
  readonly name: string;
  readonly kind: 'rail' | 'receiver';
  readonly end: Date;
};

/** Read again at each call. */
export type Certificates = () => readonly DatedCertificate[];

export function certificatesOf(rails: Rails, receiver: ReceiverSettings | undefined): Certificates {
  return () => {
    const ofRails = allRails(rails).flatMap(({ name, certificateEnd }) => {
      const end = certificateEnd?.();
      return end ? [{ name, kind: 'rail' as const, end }] : [];
    });
    const certificate = receiver && readReceiverCertificate(receiver);
    const end = certificate && new Date(certificate.validTo);
    return end ? [...ofRails, { name: 'receiver', kind: 'receiver', end }] : ofRails;
  };
}

/**
 * The certificate in the file, which the receiver loads within a minute. Undefined behind a proxy, which has its own, and while the file
 * cannot be read: then the receiver keeps the previous one.
 */
export function readReceiverCertificate({ certificateFile }: ReceiverSettings): X509Certificate | undefined {
  if (certificateFile === undefined) return undefined;
  try {
    return new X509Certificate(readFileSync(certificateFile));
  } catch {
    return undefined;
  }
}
