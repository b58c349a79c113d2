// X.509 certificates on EC P-256 keys, which are made in about a millisecond each.
import { randomBytes, webcrypto } from 'node:crypto';
import * as asn1 from 'asn1js';
import {
  AltName,
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  GeneralName,
} from 'pkijs';

type CryptoKey = webcrypto.CryptoKey;

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' };

type Issuer = { readonly certificate: Certificate; readonly privateKey: CryptoKey };

export type Made = Issuer & {
  /** PEM texts; a client sends the chain with its own certificate first. */
  readonly certificatePem: string;
  readonly keyPem: string;
};

export type CertificateInput = {
  readonly commonName: string;
  readonly use: 'ca' | 'server' | 'client' | 'signing';
  /** Signs itself when absent. */
  readonly issuer?: Issuer;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
};

/** TLS uses the clock of the machine, so certificates are valid for long, independent of a test's clock. */
const VALID_FROM = new Date('2020-01-01T00:00:00Z');
const VALID_TO = new Date('2049-12-31T00:00:00Z');

const OID = {
  commonName: '2.5.4.3',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectAltName: '2.5.29.17',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
};

/** Bits of keyUsage, the first one highest: digitalSignature is 0x80, keyCertSign and cRLSign are 0x06. */
const KEY_USAGE = { ca: 0x06, server: 0x80, client: 0x80, signing: 0x80 };
const PURPOSES = { ca: [], server: [OID.serverAuth], client: [OID.clientAuth], signing: [] };

export async function makeCertificate(input: CertificateInput): Promise<Made> {
  const { commonName, use, issuer, notBefore = VALID_FROM, notAfter = VALID_TO } = input;
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  const certificate = new Certificate();
  certificate.version = 2;
  certificate.serialNumber = new asn1.Integer({ valueHex: positiveSerial() });
  const value = new asn1.Utf8String({ value: commonName });
  certificate.subject.typesAndValues.push(new AttributeTypeAndValue({ type: OID.commonName, value }));
  certificate.issuer = issuer ? issuer.certificate.subject : certificate.subject;
  certificate.notBefore.value = notBefore;
  certificate.notAfter.value = notAfter;
  certificate.extensions = extensionsOf(use);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  await certificate.sign(issuer?.privateKey ?? keys.privateKey, 'SHA-256');
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate,
    privateKey: keys.privateKey,
    certificatePem: pem('CERTIFICATE', certificate.toSchema(true).toBER(false)),
    keyPem: pem('PRIVATE KEY', pkcs8),
  };
}

/** Reads existing ones, so that a folder keeps its keys. */
export async function readMade(certificatePem: string, keyPem: string): Promise<Made> {
  const certificate = Certificate.fromBER(derOf(certificatePem));
  const privateKey = await webcrypto.subtle.importKey('pkcs8', derOf(keyPem), CURVE, true, ['sign']);
  return { certificate, privateKey, certificatePem, keyPem };
}

function extensionsOf(use: CertificateInput['use']): Extension[] {
  const extension = (extnID: string, critical: boolean, value: asn1.AsnType) =>
    new Extension({ extnID, critical, extnValue: value.toBER(false) });
  const isCa = use === 'ca';
  const usage = new asn1.BitString({ valueHex: Uint8Array.of(KEY_USAGE[use]).buffer, unusedBits: isCa ? 1 : 7 });
  const found = [
    extension(OID.basicConstraints, true, new BasicConstraints({ cA: isCa }).toSchema()),
    extension(OID.keyUsage, true, usage),
  ];
  if (PURPOSES[use].length > 0) {
    const keyPurposes = new ExtKeyUsage({ keyPurposes: PURPOSES[use] });
    found.push(extension(OID.extendedKeyUsage, false, keyPurposes.toSchema()));
  }
  if (use === 'server') found.push(extension(OID.subjectAltName, false, loopbackNames().toSchema()));
  return found;
}

const DNS_NAME = 2;
const IP_ADDRESS = 7;

function loopbackNames(): AltName {
  const ip = (bytes: number[]) =>
    new GeneralName({
      type: IP_ADDRESS,
      value: new asn1.OctetString({ valueHex: Uint8Array.from(bytes).buffer }),
    });
  const altNames = [
    new GeneralName({ type: DNS_NAME, value: 'localhost' }),
    ip([127, 0, 0, 1]),
    ip([...Array(15).fill(0), 1]),
  ];
  return new AltName({ altNames });
}

/** A leading 0x01 keeps the number positive and of fixed length. */
function positiveSerial(): ArrayBuffer {
  return Uint8Array.from([1, ...randomBytes(15)]).buffer;
}

function pem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** The DER of the first block of a PEM text. */
export function derOf(text: string): ArrayBuffer {
  const [, body = ''] = /-----BEGIN [^-]+-----([^-]+)-----END/.exec(text) ?? [];
  return Uint8Array.from(Buffer.from(body, 'base64')).buffer;
}
