// The state of the PSP, in memory: it is lost when the process ends.

import type { DueCalendar, DueValue, Reductions } from './amount-due.ts';
import { type AutomaticState, emptyAutomaticState } from './automatic/model.ts';
import type { CivilDay } from './days.ts';
import type { Person, PixRecord } from './pix-record.ts';

export type ChargeKind = 'cob' | 'cobv';
type ChargeStatus = 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR' | 'REMOVIDA_PELO_PSP';

/** A request for a charge that passed every check, defaults filled in. */
export type ChargeBody = {
  readonly calendario: { readonly expiracao: number } | DueCalendar;
  readonly devedor?: Person;
  readonly valor: DueValue & { readonly modalidadeAlteracao?: number };
  readonly chave: string;
  readonly solicitacaoPagador?: string;
  readonly infoAdicionais?: readonly { readonly nome: string; readonly valor: string }[];
};

/** One state of a charge; a change adds another, so that earlier ones can be read. */
export type ChargeVersion = {
  readonly atMs: number;
  readonly revisao: number;
  readonly status: ChargeStatus;
  readonly body: ChargeBody;
  readonly locationId: number | undefined;
  readonly pix: readonly PixRecord[];
};

export type Charge = {
  readonly kind: ChargeKind;
  readonly txid: string;
  readonly clientId: string;
  readonly createdAt: Date;
  readonly versions: ChargeVersion[];
};

export type PayloadLocation = {
  readonly id: number;
  readonly clientId: string;
  readonly kind: ChargeKind;
  /** Without a scheme, as a code has it. */
  readonly location: string;
  readonly accessToken: string;
  readonly createdAt: Date;
  charge: Charge | undefined;
};

export type Webhook = {
  readonly chave: string;
  readonly clientId: string;
  readonly webhookUrl: string;
  readonly createdAt: Date;
};

/** How a boleto was paid: at a counter or over the banks' clearing, or by the pix code that it carries. */
export type Channel = 'line' | 'pix';

type Liquidation = {
  readonly at: Date;
  readonly cents: bigint;
  readonly channel: Channel;
  /** The day on which the bank lists it. */
  readonly listedOn: CivilDay;
};

/** A boleto at the bank. */
export type Title = {
  readonly clientId: string;
  /** The bank's number of it, as its API writes it. */
  readonly number: string;
  /** The holder's own. */
  readonly ownNumber: string;
  /** Of the request; a second id if the bank gives one. */
  readonly code?: string;
  readonly issuedOn: CivilDay;
  dueOn: CivilDay;
  lastDay: CivilDay;
  readonly cents: bigint;
  /** In the form of a charge with a due date. */
  readonly reductions: Reductions;
  /** Hundredths of a percent. */
  fine: bigint;
  interest: bigint;
  barcode: string;
  line: string;
  /** As requested, with later changes. */
  request: object;
  readonly pix: { readonly charge: Charge; readonly emv: string } | undefined;
  readonly createdAt: Date;
  /** For this many lookups the bank answers only that it is processing it. */
  processing: number;
  failure: string | undefined;
  writtenOff: { readonly at: Date; readonly reason: string } | undefined;
  readonly liquidations: Liquidation[];
  /** A change on which the bank works; the last one. */
  edit?: TitleEdit;
};

/** A change of the due day at a bank that carries it out later. */
type TitleEdit = {
  readonly code: string;
  readonly dueOn: CivilDay;
  status: 'PROCESSANDO' | 'SUCESSO' | 'FALHA';
  /** For this many lookups it stays undecided. */
  left: number;
  /** How it ends. */
  readonly fails: boolean;
  /** After it was done, this many readers still see the boleto as it was. */
  hidden: number;
  readonly before: Pick<Title, 'dueOn' | 'lastDay' | 'barcode' | 'line'>;
};

/** A list of payments of boletos that the bank was asked to prepare. */
type TitleList = { readonly from: string; readonly to: string; readonly clientId: string; asked: number };

export type State = {
  readonly charges: Map<string, Charge>;
  readonly locations: Map<number, PayloadLocation>;
  readonly locationsByToken: Map<string, PayloadLocation>;
  readonly pix: Map<string, PixRecord>;
  /** By key. */
  readonly webhooks: Map<string, Webhook>;
  /** Boletos, by client and number. */
  readonly titles: Map<string, Title>;
  readonly lists: Map<string, TitleList>;
  /** Where clients get notifications about their boletos. */
  readonly titleWebhooks: Map<string, { readonly webhookUrl: string; readonly createdAt: Date }>;
  readonly automatic: AutomaticState;
};

export function emptyState(): State {
  return {
    charges: new Map(),
    locations: new Map(),
    locationsByToken: new Map(),
    pix: new Map(),
    webhooks: new Map(),
    titles: new Map(),
    lists: new Map(),
    titleWebhooks: new Map(),
    automatic: emptyAutomaticState(),
  };
}

/** The norm: a txid is unique among all charges of a receiver, of either kind. */
export function chargeKey(clientId: string, txid: string): string {
  return `${clientId} ${txid}`;
}

type Version = { readonly atMs: number };

/** An object that keeps all its versions, the first one included. */
type Kept<V extends Version> = { readonly versions: V[] };

export function current<V extends Version>({ versions }: Kept<V>): V {
  return versions.at(-1)!;
}

export function change<V extends Version>(kept: Kept<V>, at: Date, changes: Partial<Omit<V, 'atMs'>>): V {
  const version = { ...current(kept), ...changes, atMs: at.getTime() };
  kept.versions.push(version);
  return version;
}
