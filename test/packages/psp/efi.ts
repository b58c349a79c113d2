// Efí's own SDK against a simulated PSP: independent code, written for the real bank.
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { EfiPay } from 'sdk-node-apis-efi';
import type { Psp } from '../../../packages/psp/src/psp.ts';

type Endpoints = { readonly endpoints: { readonly APIS: { readonly PIX: { readonly URL: { SANDBOX: string } } } } };

/** The SDK has no options for another host or authority, so its table of hosts and, until the test ends, Node's authorities are changed. */
export async function openEfi(t: TestContext, psp: Psp): Promise<EfiPay> {
  const table = new URL('constants/endpoints.js', import.meta.resolve('sdk-node-apis-efi'));
  const { endpoints } = (await import(table.href)) as Endpoints;
  endpoints.APIS.PIX.URL.SANDBOX = new URL(psp.url).origin;
  const authorities = getCACertificates();
  t.after(() => setDefaultCACertificates(authorities));
  setDefaultCACertificates([...authorities, readFileSync(psp.files.ca, 'utf8')]);
  return new EfiPay({
    sandbox: true,
    client_id: psp.client.clientId,
    client_secret: psp.client.clientSecret,
    certificate: psp.client.certificate.certificate,
    pemKey: psp.client.certificate.key,
    validateMtls: true,
  });
}
