// The state of the PSP about Pix Automático. Each object keeps all its versions, so that earlier ones can be read.
import type { CivilDay } from '../days.ts';
import type { PixRecord } from '../pix-record.ts';
import type { AttemptAnswer, Changed, Ending, RecPayer, RecTerms, SolicRecAnswer } from './answers.ts';
import type { CobRStatus, Journey, RecStatus, SolicRecStatus } from './states.ts';

export type RecVersion = {
  readonly atMs: number;
  readonly status: RecStatus;
  readonly terms: RecTerms;
  readonly locationId: number | undefined;
  readonly journey: Journey;
  /** Of the cob that pays the first cycle in journey 3. */
  readonly txid: string | undefined;
  readonly payer: RecPayer | undefined;
  readonly atualizacao: readonly Changed<RecStatus>[];
  readonly encerramento: Ending | undefined;
};

export type Rec = {
  readonly idRec: string;
  readonly clientId: string;
  readonly createdAt: Date;
  readonly convenio: string | undefined;
  readonly versions: RecVersion[];
  readonly requests: SolicRec[];
  readonly charges: CobR[];
  /** What the payer's bank knows of them. */
  readonly account: PayerAccount;
};

type PayerAccount = {
  /** The largest charge that the payer allows, in cents. */
  maximum: bigint | undefined;
  /** The available money in cents; unlimited when absent. */
  balance: bigint | undefined;
};

export type SolicRecVersion = {
  readonly atMs: number;
  readonly status: SolicRecStatus;
  readonly atualizacao: readonly Changed<SolicRecStatus>[];
};

export type SolicRec = {
  readonly idSolicRec: string;
  readonly rec: Rec;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly destinatario: SolicRecAnswer['destinatario'];
  readonly versions: SolicRecVersion[];
};

export type CobRBody = {
  readonly infoAdicional?: string;
  readonly calendario: { readonly dataDeVencimento: CivilDay };
  readonly valor: { readonly original: string };
  readonly ajusteDiaUtil: boolean;
  readonly recebedor: { readonly conta: string; readonly tipoConta: string; readonly agencia?: string };
  readonly devedor?: object;
};

export type Attempt = AttemptAnswer;

export type CobRVersion = {
  readonly atMs: number;
  readonly status: CobRStatus;
  readonly atualizacao: readonly Changed<CobRStatus>[];
  readonly attempts: readonly Attempt[];
  readonly encerramento: Ending | undefined;
  readonly pix: readonly PixRecord[];
};

export type CobR = {
  readonly txid: string;
  readonly rec: Rec;
  readonly createdAt: Date;
  readonly body: CobRBody;
  /** When the first attempt is to be settled. */
  readonly settlesOn: CivilDay;
  readonly versions: CobRVersion[];
};

export type RecLocation = {
  readonly id: number;
  readonly clientId: string;
  /** Without a scheme, as a code has it. */
  readonly location: string;
  readonly accessToken: string;
  readonly createdAt: Date;
  rec: Rec | undefined;
};

export type AutomaticWebhook = { readonly webhookUrl: string; readonly createdAt: Date };

export type AutomaticState = {
  readonly recs: Map<string, Rec>;
  readonly requests: Map<string, SolicRec>;
  /** By client and txid. */
  readonly charges: Map<string, CobR>;
  readonly locations: Map<number, RecLocation>;
  readonly locationsByToken: Map<string, RecLocation>;
  /** By client. */
  readonly webhooks: { readonly rec: Map<string, AutomaticWebhook>; readonly cobr: Map<string, AutomaticWebhook> };
};

export function emptyAutomaticState(): AutomaticState {
  return {
    recs: new Map(),
    requests: new Map(),
    charges: new Map(),
    locations: new Map(),
    locationsByToken: new Map(),
    webhooks: { rec: new Map(), cobr: new Map() },
  };
}
