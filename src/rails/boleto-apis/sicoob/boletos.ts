// Registers, looks up and writes off boletos at Sicoob: one synchronous call each.

import { boletoBarcode, sicoob } from '@trilho/cnab';
import type { Answer } from '../../bank-client/classify.ts';
import type { Client } from '../../bank-client/client.ts';
import { centsAt, reasonOf, textAt } from '../../bank-client/read-answer.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import { txidOf } from '../../br-code.ts';
import type { BoletoInstrument } from '../../methods/boleto.ts';
import type { CancelOutcome, Finding, Outcome, PaymentRequest } from '../../rail.ts';
import { isAbsent, isJudged, noAnswer, type Refused } from '../answers.ts';
import { instrumentIn } from '../instrument.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { boletoBody } from './body.ts';
import { agreementFields, apiNumber } from './number.ts';

export const PATHS = { line: 'resultado.linhaDigitavel', code: 'resultado.qrCode' } as const;

type Boletos = {
  submit(request: PaymentRequest, reference: string): Promise<Outcome>;
  lookup(request: PaymentRequest, reference: string): Promise<Finding>;
  cancel(request: PaymentRequest, reference: string): Promise<CancelOutcome>;
};

export function sicoobBoletos(
  settings: BoletoApiSettings,
  { call }: Client<BoletoResource>,
  { log }: ClientDeps,
): Boletos {
  const { account, name } = settings;
  const agreement = agreementFields(account);

  const read = (reference: string): Promise<Answer> => readBoleto(settings, call, reference);

  /** A boleto as the bank shows it. */
  function findingOf(body: unknown, request: PaymentRequest, reference: string): Finding {
    if (body === undefined) return { kind: 'unknown' };
    if (situationIn(body) === 'baixado') return { kind: 'withdrawn' };
    const instrument = instrumentIn(body, PATHS);
    if (!instrument) return { kind: 'accepted' };
    compareLines(instrument, request, reference);
    return { kind: 'registered', instrument };
  }

  /** The bank's line is the right one; if ours differs, a field of the agreement is wrong. */
  function compareLines(
    { barcode }: BoletoInstrument,
    { dueDay, amountCents }: PaymentRequest,
    reference: string,
  ): void {
    const freeField = sicoob.boleto.freeField(account, reference);
    if (barcode === boletoBarcode({ bank: sicoob.boleto.code, dueDay, amountCents, freeField })) return;
    log.warn('the lines of the bank do not match the agreement: check agency, beneficiaryCode, carteira and modality', {
      rail: name,
    });
  }

  /** Checks whether the bank already has it: a repeated request is refused because of its number. */
  async function judge(request: PaymentRequest, reference: string, refusal: Refused): Promise<Outcome> {
    const found = await read(reference);
    if (isAbsent(found) || isJudged(found)) return { kind: 'rejected', reason: reasonOf(refusal) };
    if (found.kind !== 'ok' || found.body === undefined) return { kind: 'unknown' };
    if (isOther(found.body, request, reference)) return { kind: 'rejected', reason: `${OTHER} ${reasonOf(refusal)}` };
    return asOutcome(findingOf(found.body, request, reference));
  }

  return {
    submit: async (request, reference) => {
      const answer = await call({
        method: 'POST',
        resource: 'boletos',
        body: boletoBody(settings, request, reference),
      });
      if (isJudged(answer)) return judge(request, reference, answer);
      if (answer.kind !== 'ok') return noAnswer(answer);
      return asOutcome(findingOf(answer.body, request, reference));
    },
    lookup: async (request, reference) => {
      const answer = await read(reference);
      if (isAbsent(answer)) return { kind: 'absent' };
      if (answer.kind !== 'ok') return noAnswer(answer);
      if (isOther(answer.body, request, reference)) return { kind: 'rejected', reason: OTHER };
      return findingOf(answer.body, request, reference);
    },
    cancel: async (request, reference) => {
      const before = await read(reference);
      if (isAbsent(before)) return { kind: 'too_late' };
      if (before.kind !== 'ok') return noAnswer(before);
      if (isOther(before.body, request, reference)) return { kind: 'too_late' };
      const path = [String(apiNumber(account, reference)), 'baixar'];
      const answer = await call({ method: 'POST', resource: 'boletos', path, body: agreement });
      if (answer.kind === 'ok') return { kind: 'withdrawn' };
      if (answer.kind !== 'refused') return noAnswer(answer);
      // It may be paid, written off or unknown.
      const found = await read(reference);
      if (isAbsent(found)) return { kind: 'too_late' };
      if (found.kind !== 'ok') return noAnswer(found);
      const situation = situationIn(found.body);
      if (situation === 'baixado') return { kind: 'withdrawn' };
      return situation === 'liquidado' ? { kind: 'too_late' } : { kind: 'unavailable' };
    },
  };
}

/** A boleto by its number. */
export function readBoleto(
  { account }: Pick<BoletoApiSettings, 'account'>,
  call: Client<BoletoResource>['call'],
  reference: string,
): Promise<Answer> {
  const { numeroCliente, codigoModalidade } = agreementFields(account);
  const query = {
    numeroCliente: String(numeroCliente),
    codigoModalidade: String(codigoModalidade),
    nossoNumero: String(apiNumber(account, reference)),
  };
  return call({ method: 'GET', resource: 'boletos', query });
}

function asOutcome(finding: Finding): Outcome {
  if (finding.kind === 'withdrawn') return { kind: 'rejected', reason: 'The boleto was written off at the bank.' };
  return finding.kind === 'absent' ? { kind: 'unknown' } : finding;
}

/** `em aberto`, `baixado` or `liquidado`. */
export function situationIn(body: unknown): string | undefined {
  return textAt(body, 'resultado.situacaoBoleto')?.trim().toLowerCase();
}

export const OTHER = 'The bank has another boleto under this number.';

/**
 * Another program may have given the same number. The id sent with a boleto decides; where the bank does not show it, our number, due day
 * and amount must match the request, as far as they are shown.
 */
export function isOther(body: unknown, request: PaymentRequest, reference: string): boolean {
  const { id, amountCents, dueDay, askedDueDay } = request;
  const ownId = textAt(body, 'resultado.identificacaoBoletoEmpresa')?.trim();
  if (ownId) return ownId !== txidOf(id);
  const ownNumber = textAt(body, 'resultado.seuNumero')?.trim();
  const dueOn = textAt(body, 'resultado.dataVencimento')?.slice(0, 10);
  const cents = centsAt(body, 'resultado.valor');
  return (
    (ownNumber !== undefined && ownNumber.padStart(reference.length, '0') !== reference) ||
    (dueOn !== undefined && dueOn !== dueDay && dueOn !== askedDueDay) ||
    (cents !== undefined && cents !== amountCents)
  );
}
