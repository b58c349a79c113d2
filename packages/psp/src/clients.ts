// The receivers who have a contract with the PSP: their credentials, scopes and pix keys.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { CertificateFiles } from './certificates/key-folder.ts';
import type { TitleContract } from './titles/contract.ts';

export const SCOPES = [
  ...['cob', 'cobv', 'pix', 'webhook', 'payloadlocation'],
  ...['rec', 'solicrec', 'cobr', 'payloadlocationrec', 'webhookrec', 'webhookcobr'],
].flatMap(name => [`${name}.read`, `${name}.write`]);

/** As cobv shows it. */
export type PixReceiver = {
  readonly cnpj: string;
  readonly nome: string;
  readonly logradouro: string;
  readonly cidade: string;
  readonly uf: string;
  readonly cep: string;
};

/** Where a charge of a recurrence is paid to. */
export type BankAccount = { readonly agencia: string; readonly conta: string; readonly tipoConta: string };

export type ClientInput = {
  /** Also the common name of the client's certificate. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Pix keys that it may charge with. */
  readonly keys: readonly string[];
  readonly scopes?: readonly string[];
  readonly receiver?: PixReceiver;
  readonly account?: BankAccount;
  /** For boletos, at a bank that has an API for them. */
  readonly contract?: TitleContract;
};

export type PspClient = Required<ClientInput> & { readonly certificate: CertificateFiles };

export const DEFAULT_CLIENT: ClientInput = {
  clientId: 'trilho',
  clientSecret: 'trilho-secret',
  keys: ['recebedor@example.com', '7d9f0335-8dcc-4054-9bf9-0dbd61d36906'],
};

export const DEFAULT_RECEIVER: PixReceiver = {
  cnpj: '12ABC34501DE35',
  nome: 'Loja de Teste Ltda',
  logradouro: 'Rua de Teste, 100',
  cidade: 'São Paulo',
  uf: 'SP',
  cep: '01001000',
};

export const DEFAULT_ACCOUNT: BankAccount = { agencia: '9708', conta: '012682', tipoConta: 'CORRENTE' };

export function hasSecret(client: PspClient, given: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(client.clientSecret), digest(given));
}
