// The interface of a started PSP, and its options.
import type { RequestRecord } from './api-server.ts';
import type { AutomaticControl } from './automatic/control.ts';
import type { AutomaticRules } from './automatic/rules.ts';
import type { CertificateFiles, IssueInput } from './certificates/key-folder.ts';
import type { ClientInput, PspClient } from './clients.ts';
import type { RefundRule, TitleRule } from './core.ts';
import type { ActiveFault, Fault } from './faults.ts';
import type { ForgeInput, NotificationRecord } from './notifier.ts';
import type { PaymentInput } from './payer.ts';
import type { Devolucao, PaidPix } from './pix-record.ts';
import type { ProfileName } from './profiles.ts';
import type { MedInput } from './refunds.ts';
import type { PspState } from './show-state.ts';
import type { TitlePayment } from './titles/title.ts';
import type { TitleState } from './titles/view.ts';

/** The clock of a PSP. */
export type Clock = { now(): Date };

export type WebhookOptions = {
  /** Waits between tries, by the machine's clock; Efí's when absent, empty for a single try. */
  readonly retryMs?: readonly number[];
  /** Payments of one key within this time share a call; 0 when absent: one call each. */
  readonly groupMs?: number;
  /** Whether a URL may be http; false when absent. */
  readonly allowHttp?: boolean;
  /** PEM of an authority that the receiver's certificate may come from, beside the PSP's own. */
  readonly trust?: string;
  readonly timeoutMs?: number;
};

export type PspOptions = {
  readonly profile?: ProfileName;
  /** Free ones when absent or 0. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Where keys and certificates are kept; a temporary folder when absent. */
  readonly folder?: string;
  readonly clock?: Clock;
  readonly clients?: readonly ClientInput[];
  /** Of chance and of generated ids. When absent, chance is the same at each start and ids are new ones. */
  readonly seed?: number;
  readonly tokenSeconds?: number;
  readonly refunds?: RefundRule;
  readonly webhooks?: WebhookOptions;
  /** Rules of Pix Automático that each PSP decides itself. */
  readonly automatic?: Partial<AutomaticRules>;
};

export type EndRefundInput = {
  readonly endToEndId: string;
  readonly id: string;
  readonly status: 'DEVOLVIDO' | 'NAO_REALIZADO';
  readonly motivo?: string;
};

export type PspFiles = {
  readonly folder: string;
  /** Trusts the PSP's server certificate. */
  readonly ca: string;
  /** Trusts the client certificate of notifications. */
  readonly webhookChain: string;
  /** A server certificate for localhost that the PSP trusts. */
  readonly receiver: CertificateFiles;
};

export type Psp = {
  readonly profile: ProfileName;
  readonly url: string;
  /** Of the boleto API, at a bank that has one. */
  readonly titlesUrl?: string;
  readonly tokenUrl: string;
  readonly controlUrl: string;
  readonly jwksUrl: string;
  readonly client: PspClient;
  readonly files: PspFiles;
  clients(): readonly PspClient[];
  addClient(input: ClientInput): Promise<PspClient>;
  issueCertificate(input: IssueInput): Promise<CertificateFiles>;
  pay(input: PaymentInput): Promise<PaidPix>;
  /** Pays the line of a boleto. */
  payTitle(payment: TitlePayment): Promise<TitleState>;
  /** The payer of recurrences (Pix Automático). */
  readonly automatic: AutomaticControl;
  medReturn(input: MedInput & { readonly endToEndId: string }): Devolucao;
  removeCharge(txid: string, clientId?: string): void;
  setTitles(rule: TitleRule): void;
  setRefunds(rule: RefundRule): void;
  endRefund(input: EndRefundInput): Devolucao;
  setFault(fault: Fault): string;
  clearFaults(id?: string): void;
  faults(): readonly ActiveFault[];
  notifications(): readonly NotificationRecord[];
  deliverNow(): Promise<void>;
  settled(): Promise<void>;
  forgeNotification(input: ForgeInput): Promise<number>;
  requests(): readonly RequestRecord[];
  revokeTokens(): void;
  now(): Date;
  moveClock(by: { readonly advanceMs: number } | { readonly to: Date }): void;
  state(): PspState;
  stop(): Promise<void>;
};
