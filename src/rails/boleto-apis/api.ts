// What the boleto API of a bank exports, each in its own folder; apis.ts lists them.

import type { AccountProblem, BoletoAccount } from '@trilho/cnab';
import type { Check } from '../bank-client/check.ts';
import type { Answer } from '../bank-client/classify.ts';
import type { Client } from '../bank-client/client.ts';
import type { Connections } from '../bank-client/connection.ts';
import type { Credentials } from '../bank-client/credentials.ts';
import { bad, messageOf } from '../bank-client/diagnose.ts';
import type { ClientDeps } from '../bank-client/settings.ts';
import type { WebhookAdmin } from '../bank-client/webhook.ts';
import type { Rail } from '../rail.ts';
import type { BoletoProfile, BoletoProfiles, BoletoResource } from './profile.ts';
import type { BoletoApiSettings } from './settings.ts';

export type BoletoApi = {
  readonly profiles: BoletoProfiles;
  /** The digits of the number that identifies a boleto before the bank has it. */
  readonly numberDigits: number;
  /** Why boletos cannot be issued on this account; empty when they can. */
  checkAccount(account: BoletoAccount): readonly AccountProblem[];
  /** A client may have several contracts; the number selects one. */
  readonly hasContracts?: true;
  railOf(settings: BoletoApiSettings, client: Client<BoletoResource>, deps: ClientDeps): Rail<'boleto'>;
  /** Absent: the bank sends no notifications. */
  webhookOf?(client: Client<BoletoResource>): WebhookAdmin;
  /** Whether the bank knows the agreement. Nothing is changed there. */
  checkAgreement(opened: OpenedApi, deps: ClientDeps): Promise<Check[]>;
};

/** What the parts of a rail share. */
export type OpenedApi = {
  readonly api: BoletoApi;
  readonly settings: BoletoApiSettings;
  readonly profile: BoletoProfile;
  readonly credentials: Credentials;
  readonly connections: Connections;
  readonly client: Client<BoletoResource>;
};

export function refusedAgreement(answer: Answer, fields: string): Check {
  return bad('agreement', `The bank does not answer about the agreement: ${messageOf(answer)}.`, `Check ${fields}.`);
}
