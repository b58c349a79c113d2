// The public API of the package. Everything else in this folder is internal.
export type { RequestRecord } from './api-server.ts';
export type {
  AttemptAnswer,
  AutomaticPix,
  CobRAnswer,
  CobRNotice,
  Ending,
  LocRecAnswer,
  RecAnswer,
  RecNotice,
  RecTerms,
  SolicRecAnswer,
} from './automatic/answers.ts';
export type { AutomaticControl } from './automatic/control.ts';
export type { AutomaticRules, ChargeRefusal } from './automatic/rules.ts';
export {
  ATTEMPT_TRANSITIONS,
  type AttemptKind,
  type AttemptStatus,
  COBR_TRANSITIONS,
  type CobRStatus,
  type Journey,
  REC_TRANSITIONS,
  type RecStatus,
  SOLICREC_TRANSITIONS,
  type SolicRecStatus,
} from './automatic/states.ts';
export type { CertificateFiles, IssueInput } from './certificates/key-folder.ts';
export type { BankAccount, ClientInput, PspClient } from './clients.ts';
export { type CommandOptions, openPsp, PSP_OPTIONS, readPspOptions, welcome } from './command.ts';
export { CONTROL_REQUESTS } from './control-server.ts';
export type { RefundRule, TitleRule } from './core.ts';
export { type ActiveFault, FAULT_KINDS, type Fault } from './faults.ts';
export type { Notice } from './notice.ts';
export type { ForgeInput, NotificationRecord } from './notifier.ts';
export { type PaymentInput, PspRefusal, type RefusalCode } from './payer.ts';
export type { PaidPix } from './pix-record.ts';
export { PROFILE_NAMES, PROFILES, type ProfileName } from './profiles.ts';
export type { Clock, EndRefundInput, Psp, PspFiles, PspOptions, WebhookOptions } from './psp.ts';
export { PspError } from './psp-error.ts';
export type { MedInput } from './refunds.ts';
export type { PspState } from './show-state.ts';
export { startPsp } from './start.ts';
export type { TitlePayment } from './titles/title.ts';
export type { TitleState } from './titles/view.ts';
