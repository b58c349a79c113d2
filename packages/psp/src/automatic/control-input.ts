// Reads the bodies of the control API about recurrences, and reports their faults.
import { isObject, type JsonObject } from '../checks.ts';
import { readTexts, refuseOthers } from '../control-input.ts';
import type { ApproveInput, CancelChargeInput, CancelRecInput, RejectInput } from './payer.ts';
import type { AccountInput } from './payer-account.ts';
import type { AutomaticRules, ChargeRefusal } from './rules.ts';
import { CANCELED_BY } from './states.ts';

const TARGET = ['idRec', 'idSolicRec', 'emv'] as const;

export function readApproval({ pagador, pay, ...body }: JsonObject): ApproveInput {
  const input = readTexts(body, [], [...TARGET, 'maximum']);
  if (pay !== undefined && typeof pay !== 'boolean') throw new RangeError('pay must be true or false.');
  if (pagador !== undefined && !isObject(pagador)) throw new RangeError('pagador must be an object.');
  const who = pagador && readTexts(pagador, [], ['cpf', 'cnpj', 'ispbParticipante', 'codMun']);
  return { ...input, ...(who && { pagador: who }), ...(pay !== undefined && { pay }) };
}

export function readRejection(body: JsonObject): RejectInput {
  return readTexts(body, [], [...TARGET, 'codigo', 'descricao']);
}

export function readRecCancel(body: JsonObject): CancelRecInput {
  const { solicitante, ...input } = readTexts(body, ['idRec'], ['solicitante', 'codigo', 'descricao']);
  return { ...input, ...readWho(solicitante) };
}

export function readChargeCancel(body: JsonObject): CancelChargeInput {
  const { solicitante, ...input } = readTexts(body, ['txid'], ['clientId', 'solicitante', 'codigo', 'descricao']);
  return { ...input, ...readWho(solicitante) };
}

function readWho(text: string | undefined) {
  const solicitante = CANCELED_BY.find(known => known === text);
  if (text !== undefined && !solicitante) throw new RangeError(`solicitante must be one of ${CANCELED_BY.join(', ')}.`);
  return { ...(solicitante && { solicitante }) };
}

export function readAccount({ idRec, maximum, balance, ...rest }: JsonObject): AccountInput {
  refuseOthers(rest);
  if (typeof idRec !== 'string') throw new RangeError('idRec must be text.');
  return { idRec, ...textOrNull('maximum', maximum), ...textOrNull('balance', balance) };
}

function textOrNull<Name extends string>(name: Name, value: unknown): { [N in Name]?: string | null } {
  if (value === undefined) return {};
  if (value !== null && typeof value !== 'string') throw new RangeError(`${name} must be text or null.`);
  return { [name]: value } as { [N in Name]?: string | null };
}

/** An empty body ends the refusals. */
export function readChargeRefusal({ count, ...body }: JsonObject): ChargeRefusal | null {
  if (Object.keys(body).length === 0) return null;
  const refusal = readTexts(body, ['codigo'], ['descricao']);
  if (refusal.codigo.length > 4) throw new RangeError('codigo has at most four characters.');
  return { ...refusal, ...(count !== undefined && { count: whole('count', count) }) };
}

export function readRules({ earliestDays, countedIn, localHolidays, ...body }: JsonObject): Partial<AutomaticRules> {
  const { latestDays, cancelUntilHour, stepMs, ...rest } = body;
  refuseOthers(rest);
  const numbers = Object.entries({ latestDays, cancelUntilHour, stepMs }).filter(([, value]) => value !== undefined);
  if (countedIn !== undefined && countedIn !== 'calendar' && countedIn !== 'banking')
    throw new RangeError('countedIn must be calendar or banking.');
  if (localHolidays !== undefined && !(isObject(localHolidays) && Object.values(localHolidays).every(Array.isArray)))
    throw new RangeError('localHolidays must have a list of days for each codMun.');
  return {
    ...Object.fromEntries(numbers.map(([name, value]) => [name, whole(name, value)])),
    ...(earliestDays !== undefined && {
      earliestDays: earliestDays === null ? null : whole('earliestDays', earliestDays),
    }),
    ...(countedIn !== undefined && { countedIn }),
    ...(localHolidays !== undefined && { localHolidays: localHolidays as AutomaticRules['localHolidays'] }),
  };
}

function whole(name: string, value: unknown): number {
  if (!Number.isInteger(value) || (value as number) < 0) throw new RangeError(`${name} must be a whole number.`);
  return value as number;
}
