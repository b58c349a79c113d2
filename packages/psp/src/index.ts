// What the package offers. Everything else in this folder is its own.
export type { RequestRecord } from './api-server.ts';
export type { CertificateFiles, IssueInput } from './certificates/key-folder.ts';
export type { ClientInput, PspClient } from './clients.ts';
export { type CommandOptions, openPsp, PSP_OPTIONS, readPspOptions, welcome } from './command.ts';
export { CONTROL_REQUESTS } from './control-server.ts';
export type { RefundRule, TitleRule } from './core.ts';
export { type ActiveFault, FAULT_KINDS, type Fault } from './faults.ts';
export type { ForgeInput, NotificationRecord } from './notifier.ts';
export { type PaymentInput, PspRefusal, type RefusalCode } from './payer.ts';
export { PROFILE_NAMES, PROFILES, type ProfileName } from './profiles.ts';
export type { Clock, EndRefundInput, PaidPix, Psp, PspFiles, PspOptions, WebhookOptions } from './psp.ts';
export { PspError } from './psp-error.ts';
export type { MedInput } from './refunds.ts';
export type { PspState } from './show-state.ts';
export { startPsp } from './start.ts';
export type { TitlePayment } from './titles/title.ts';
export type { TitleState } from './titles/view.ts';
