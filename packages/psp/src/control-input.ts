// Reads the bodies of the control API, and reports their faults.

import type { IssueInput } from './certificates/key-folder.ts';
import { centsOf, isObject, type JsonObject } from './checks.ts';
import type { ClientInput, PixReceiver } from './clients.ts';
import type { RefundRule, TitleRule } from './core.ts';
import { FAULT_KINDS, type Fault } from './faults.ts';
import { parseMoment } from './moments.ts';
import type { PaymentInput } from './payer.ts';
import type { EndRefundInput } from './psp.ts';
import { MED_NATURES, MED_STATUSES, type MedInput } from './refunds.ts';
import type { TitlePayment } from './titles/title.ts';

export function readFault(body: JsonObject): Fault {
  const { kind, on, count, skip, probability, status, retryAfterSeconds, delayMs, scopes, code, state, ...rest } = body;
  const numbers = { count, skip, probability, status, retryAfterSeconds, delayMs };
  if (!FAULT_KINDS.some(known => known === kind))
    throw new RangeError(`kind must be one of ${FAULT_KINDS.join(', ')}.`);
  for (const [name, value] of Object.entries(numbers)) {
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw new RangeError(`${name} must be a number.`);
  }
  if (on !== undefined && !isObject(on)) throw new RangeError('on must be an object with method and path.');
  if (scopes !== undefined && !Array.isArray(scopes)) throw new RangeError('scopes must be a list.');
  for (const [name, value] of Object.entries({ code, state })) {
    if (value !== undefined && typeof value !== 'string') throw new RangeError(`${name} must be text.`);
  }
  refuseOthers(rest);
  return body as Fault;
}

export function readPayment(body: JsonObject): PaymentInput {
  const { emv, txid, chave, clientId, valor, pagador, infoPagador, horario, force, notify, ...rest } = body;
  for (const [name, value] of Object.entries({ emv, txid, chave, clientId, valor, infoPagador })) {
    if (value !== undefined && typeof value !== 'string') throw new RangeError(`${name} must be text.`);
  }
  refuseOthers(rest);
  const given = { emv, txid, chave, clientId, valor, pagador, infoPagador, force, notify };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(horario !== undefined && { horario: moment('horario', horario) }),
  };
}

export function readTitlePayment({ force, ...body }: JsonObject): TitlePayment {
  const { valor, at, ...titles } = readTexts(body, [], ['line', 'barcode', 'number', 'valor', 'at', 'listedOn']);
  if (valor !== undefined && !/^\d{1,10}\.\d{2}$/.test(valor)) throw new RangeError('valor must be written as 12.34.');
  return {
    ...titles,
    ...(valor !== undefined && { cents: centsOf(valor) }),
    ...(at !== undefined && { at: moment('at', at) }),
    ...(force === true && { force }),
  };
}

export function readTitleRule(rule: JsonObject): TitleRule {
  const { processing, failure, editing, failsEdits, hidesEdits, ...rest } = rule;
  refuseOthers(rest);
  if (typeof processing !== 'number' || processing < 0) throw new RangeError('processing must be a number.');
  if (failure !== undefined && typeof failure !== 'string') throw new RangeError('failure must be text.');
  const counted = { editing, hidesEdits };
  for (const [name, count] of Object.entries(counted)) {
    if (count !== undefined && !(typeof count === 'number' && count >= 0))
      throw new RangeError(`${name} must be a number.`);
  }
  if (failsEdits !== undefined && typeof failsEdits !== 'boolean')
    throw new RangeError('failsEdits must be true or false.');
  return { processing, failure, failsEdits, ...(counted as Pick<TitleRule, 'editing' | 'hidesEdits'>) };
}

export function readRefundRule({ status, afterMs, ...rest }: JsonObject): RefundRule {
  refuseOthers(rest);
  if (status !== 'DEVOLVIDO' && status !== 'NAO_REALIZADO') {
    throw new RangeError('status must be DEVOLVIDO or NAO_REALIZADO.');
  }
  if (afterMs !== null && !(typeof afterMs === 'number' && afterMs >= 0)) {
    throw new RangeError('afterMs must be a number, or null for when /refunds/end says so.');
  }
  return { status, afterMs };
}

export function readMoment({ advanceMs, to, ...rest }: JsonObject): { advanceMs: number } | { to: Date } {
  refuseOthers(rest);
  if (typeof advanceMs === 'number') return { advanceMs };
  return { to: moment('to', to) };
}

export function readIssue({ clientId, notBefore, notAfter, foreign, ...rest }: JsonObject): IssueInput {
  refuseOthers(rest);
  if (typeof clientId !== 'string') throw new RangeError('clientId must be text.');
  return {
    clientId,
    ...(notBefore !== undefined && { notBefore: moment('notBefore', notBefore) }),
    ...(notAfter !== undefined && { notAfter: moment('notAfter', notAfter) }),
    ...(foreign === true && { foreign }),
  };
}

/** `required` and `optional` are names of texts; anything else is refused. */
export function readTexts<R extends string, O extends string>(
  body: JsonObject,
  required: readonly R[],
  optional: readonly O[],
): { [Name in R]: string } & { [Name in O]?: string } {
  const names: readonly string[] = [...required, ...optional];
  refuseOthers(Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name))));
  const wrong = names.find(
    name => (required.some(one => one === name) || name in body) && typeof body[name] !== 'string',
  );
  if (wrong !== undefined) throw new RangeError(`${wrong} must be text.`);
  return body as { [Name in R]: string } & { [Name in O]?: string };
}

export function readMed(body: JsonObject): MedInput & { endToEndId: string } {
  const { natureza, status, ...med } = readTexts(body, ['endToEndId'], ['valor', 'natureza', 'status']);
  if (med.valor !== undefined && !/^\d{1,10}\.\d{2}$/.test(med.valor))
    throw new RangeError('valor must be written as 12.34.');
  const nature = natureza === undefined ? undefined : oneOf('natureza', natureza, MED_NATURES);
  const state = status === undefined ? undefined : oneOf('status', status, MED_STATUSES);
  return { ...med, ...(nature && { natureza: nature }), ...(state && { status: state }) };
}

export function readEndRefund(body: JsonObject): EndRefundInput {
  const { status, ...refund } = readTexts(body, ['endToEndId', 'id', 'status'], ['motivo']);
  if (status !== 'DEVOLVIDO' && status !== 'NAO_REALIZADO') {
    throw new RangeError('status must be DEVOLVIDO or NAO_REALIZADO.');
  }
  return { ...refund, status };
}

export function readClient({ keys, scopes, receiver, ...body }: JsonObject): ClientInput {
  const client = readTexts(body, ['clientId', 'clientSecret'], []);
  const isTexts = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every(one => typeof one === 'string');
  if (!isTexts(keys)) throw new RangeError('keys must be a list of texts.');
  if (scopes !== undefined && !isTexts(scopes)) throw new RangeError('scopes must be a list of texts.');
  if (receiver !== undefined && !isObject(receiver)) throw new RangeError('receiver must be an object.');
  return { ...client, keys, ...(scopes && { scopes }), ...(receiver && { receiver: receiver as PixReceiver }) };
}

function oneOf<const T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const known = allowed.find(each => each === value);
  if (known === undefined) throw new RangeError(`${name} must be one of ${allowed.join(', ')}.`);
  return known;
}

function moment(name: string, value: unknown): Date {
  const read = typeof value === 'string' ? parseMoment(value) : undefined;
  if (!read) throw new RangeError(`${name} must be a moment such as 2030-01-15T12:00:00-03:00.`);
  return read;
}

export function refuseOthers(rest: object): void {
  const [name] = Object.keys(rest);
  if (name !== undefined) throw new RangeError(`${name} is not a field of this request.`);
}
