// Objects of Pix Automático as the API writes them: what a client of it reads. A PSP may add states and codes that are not here.
import type { Devolucao } from '../pix-record.ts';
import type {
  AttemptKind,
  AttemptStatus,
  CanceledBy,
  CobRStatus,
  Journey,
  Periodicity,
  RecStatus,
  RetryPolicy,
  SolicRecStatus,
} from './states.ts';

/** One entry of `atualizacao`. */
export type Changed<Status> = { readonly status: Status; readonly data: string };

type Taxpayer = { readonly cpf?: string; readonly cnpj?: string };

export type Reason = { readonly codigo: string; readonly descricao: string };

/** Why a recurrence or a charge has ended. */
export type Ending = {
  readonly rejeicao?: Reason;
  readonly cancelamento?: Reason & { readonly solicitante: CanceledBy };
};

/** What the payer authorises. */
export type RecTerms = {
  readonly vinculo: {
    readonly contrato: string;
    readonly devedor: Taxpayer & { readonly nome: string };
    readonly objeto?: string;
  };
  readonly calendario: {
    readonly dataInicial: string;
    readonly dataFinal?: string;
    readonly periodicidade: Periodicity;
  };
  /** At most one of the two. */
  readonly valor?: { readonly valorRec?: string; readonly valorMinimoRecebedor?: string };
  readonly politicaRetentativa: RetryPolicy;
};

export type RecPayer = Taxpayer & { readonly ispbParticipante: string; readonly codMun: string };

export type LocRecAnswer = {
  readonly id: number;
  readonly location: string;
  readonly criacao: string;
  readonly idRec?: string;
};

export type RecAnswer = RecTerms & {
  readonly idRec: string;
  readonly status: RecStatus;
  readonly recebedor: { readonly cnpj: string; readonly nome: string; readonly convenio?: string };
  readonly loc?: LocRecAnswer;
  /** Who approved it, once approved. */
  readonly pagador?: RecPayer;
  readonly ativacao: { readonly tipoJornada: Journey; readonly dadosJornada?: { readonly txid: string } };
  readonly atualizacao: readonly Changed<RecStatus>[];
  readonly encerramento?: Ending;
  readonly solicitacao?: readonly SolicRecAnswer[];
  /** Of `GET /rec/{idRec}` alone. */
  readonly dadosQR?: { readonly jornada: Journey; readonly pixCopiaECola: string };
};

export type SolicRecAnswer = {
  readonly idSolicRec: string;
  readonly idRec: string;
  readonly calendario: { readonly dataExpiracaoSolicitacao: string };
  readonly destinatario: Taxpayer & {
    readonly ispbParticipante: string;
    readonly conta: string;
    readonly agencia?: string;
  };
  readonly status: SolicRecStatus;
  readonly atualizacao: readonly Changed<SolicRecStatus>[];
  readonly recPayload: object;
};

export type AttemptAnswer = {
  readonly dataLiquidacao: string;
  readonly tipo: AttemptKind;
  readonly endToEndId: string;
  readonly status: AttemptStatus;
  readonly atualizacao: readonly Changed<AttemptStatus>[];
  readonly rejeicao?: Reason;
};

/** A pix that an attempt brought. */
export type AutomaticPix = {
  readonly endToEndId: string;
  readonly txid: string;
  readonly valor: string;
  readonly horario: string;
  readonly devolucoes?: readonly Devolucao[];
};

export type CobRAnswer = {
  readonly idRec: string;
  readonly txid: string;
  readonly infoAdicional?: string;
  readonly calendario: { readonly criacao: string; readonly dataDeVencimento: string };
  readonly valor: { readonly original: string };
  readonly status: CobRStatus;
  readonly politicaRetentativa: RetryPolicy;
  readonly ajusteDiaUtil: boolean;
  readonly devedor?: object;
  readonly recebedor: {
    readonly cnpj: string;
    readonly nome: string;
    readonly conta: string;
    readonly tipoConta: string;
    readonly agencia?: string;
  };
  readonly atualizacao: readonly Changed<CobRStatus>[];
  readonly encerramento?: Ending;
  readonly tentativas?: readonly AttemptAnswer[];
  readonly pix?: readonly AutomaticPix[];
};

/** An entry of `recs` in what is posted to `{webhookUrl}/rec`. */
export type RecNotice = Pick<RecAnswer, 'idRec' | 'status' | 'atualizacao' | 'encerramento' | 'ativacao'>;

/** An entry of `cobsr` in what is posted to `{webhookUrl}/cobr`. */
export type CobRNotice = Pick<
  CobRAnswer,
  'idRec' | 'txid' | 'status' | 'atualizacao' | 'encerramento' | 'tentativas' | 'pix'
>;
