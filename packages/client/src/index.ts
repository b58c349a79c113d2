// @trilho/client: a typed client of Trilho, for Node and browsers.
export type { Answer, RequestOptions } from './call.ts';
export type * from './generated/resources.ts';
export type * from './generated/types.ts';
export type { Decimal } from './json.ts';
export type { FileBody, KeyedOptions, List, Options, StreamedEvent, StreamOptions } from './operation.ts';
export type { Wait } from './retry.ts';
export { type ClientOptions, createTrilho, type Trilho } from './trilho.ts';
export { type ClientCode, type ErrorCode, TrilhoError } from './trilho-error.ts';
export { signWebhook, verifyWebhook, type WebhookHeaders, type WebhookMessage } from './webhooks.ts';
