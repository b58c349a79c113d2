// The payer: reads a code as a bank's app would, refuses what cannot be paid, and settles.

import { amountDue, type DueCalendar, lastPayableDay } from './amount-due.ts';
import { readCode } from './br-code.ts';
import { centsOf } from './checks.ts';
import type { Core } from './core.ts';
import { civilDay } from './days.ts';
import { type PixRecord, settlementId } from './pix-record.ts';
import { type Charge, change, chargeKey, current } from './state.ts';

export type PaymentInput = {
  /** One of the three: a code, the txid of a charge, or a key (a transfer without a charge). */
  readonly emv?: string;
  readonly txid?: string;
  readonly chave?: string;
  /** Whose txid; the first client when absent. */
  readonly clientId?: string;
  /** Such as `12.34`; by default the amount owed today. */
  readonly valor?: string;
  readonly pagador?: { readonly cpf?: string; readonly cnpj?: string; readonly nome: string };
  readonly infoPagador?: string;
  /** When it was settled; now when absent. */
  readonly horario?: Date;
  /** Pays even an expired, removed or paid charge. */
  readonly force?: boolean;
  /** Whether the webhook is called; true when absent. */
  readonly notify?: boolean;
};

const REFUSALS = [
  'bad_input',
  'bad_code',
  'not_found',
  'key_unknown',
  'expired',
  'paid',
  'removed',
  'amount_missing',
  'not_open',
  'too_late',
] as const;
export type RefusalCode = (typeof REFUSALS)[number];

/** The refusal of the payer's bank. */
export class PspRefusal extends Error {
  override readonly name = 'PspRefusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

const DEFAULT_PAYER = { cpf: '12345678909', nome: 'Francisco da Silva' };
const AMOUNT = /^\d{1,10}\.\d{2}$/;

type Target = {
  readonly clientId: string;
  readonly chave: string;
  readonly txid: string | undefined;
  readonly charge?: Charge;
  readonly codeAmount?: string;
};

export function pay(core: Core, input: PaymentInput): PixRecord {
  const at = core.now();
  const target = findTarget(core, input);
  const { charge } = target;
  if (charge && !input.force) requirePayable(charge, at);
  const owed = charge ? amountOwed(charge, at) : undefined;
  const valor = input.valor ?? owed?.final ?? target.codeAmount;
  if (valor === undefined) throw new PspRefusal('amount_missing', 'The code has no amount; give valor.');
  if (!AMOUNT.test(valor) || centsOf(valor) === 0n) {
    throw new PspRefusal('bad_input', 'valor must be written as 12.34 and not be zero.');
  }
  const horario = input.horario ?? at;
  const pix: PixRecord = {
    endToEndId: settlementId('E', horario, core.random),
    clientId: target.clientId,
    txid: target.txid,
    chave: target.chave,
    valor,
    componentesValor: owed?.final === valor ? partsOf(owed) : { original: { valor } },
    horario,
    infoPagador: input.infoPagador,
    pagador: input.pagador ?? DEFAULT_PAYER,
    atMs: at.getTime(),
    refunds: [{ atMs: at.getTime(), devolucoes: [] }],
  };
  core.state.pix.set(pix.endToEndId, pix);
  if (charge) {
    const { pix: earlier, status } = current(charge);
    // A payment that was forced does not bring a removed charge back.
    change(charge, at, { pix: [...earlier, pix], status: status === 'ATIVA' ? 'CONCLUIDA' : status });
  }
  core.pixPaid(pix);
  if (input.notify !== false) core.notifier.pixChanged(pix);
  return pix;
}

function findTarget(core: Core, input: PaymentInput): Target {
  const { emv, txid, chave } = input;
  if ([emv, txid, chave].filter(given => given !== undefined).length !== 1) {
    throw new PspRefusal('bad_input', 'Give one of emv, txid and chave.');
  }
  if (txid !== undefined) {
    const clientId = input.clientId ?? core.clients.keys().next().value!;
    return ofCharge(core.state.charges.get(chargeKey(clientId, txid)));
  }
  if (chave !== undefined) return ofKey(core, chave, undefined, undefined);
  const code = readCode(emv ?? '');
  if (!code) throw new PspRefusal('bad_code', 'This is no pix code, or its checksum is wrong.');
  if (code.key !== undefined) return ofKey(core, code.key, code.txid, code.amount);
  const accessToken = code.location?.split('/').at(-1) ?? '';
  return ofCharge(core.state.locationsByToken.get(accessToken)?.charge);
}

function ofCharge(charge: Charge | undefined): Target {
  if (!charge) throw new PspRefusal('not_found', 'No charge is behind this code or txid.');
  return { clientId: charge.clientId, chave: current(charge).body.chave, txid: charge.txid, charge };
}

function ofKey(core: Core, chave: string, txid: string | undefined, codeAmount: string | undefined): Target {
  const owner = [...core.clients.values()].find(({ keys }) => keys.includes(chave));
  if (!owner) throw new PspRefusal('key_unknown', 'No client of this PSP has this key.');
  return { clientId: owner.clientId, chave, txid, ...(codeAmount !== undefined && { codeAmount }) };
}

function requirePayable(charge: Charge, at: Date): void {
  const { status, body } = current(charge);
  if (status === 'CONCLUIDA') throw new PspRefusal('paid', 'The charge is paid.');
  if (status !== 'ATIVA') throw new PspRefusal('removed', 'The charge was removed.');
  const { calendario } = body;
  const isExpired =
    'expiracao' in calendario
      ? at.getTime() > charge.createdAt.getTime() + calendario.expiracao * 1000
      : civilDay(at) > lastPayableDay(calendario);
  if (isExpired) throw new PspRefusal('expired', 'The charge has expired.');
}

function amountOwed(charge: Charge, at: Date) {
  const { valor, calendario } = current(charge).body;
  if ('expiracao' in calendario) return { original: valor.original, final: valor.original };
  return amountDue(valor, calendario as DueCalendar, civilDay(at));
}

function partsOf({ final: _, ...parts }: { final: string; original: string }): PixRecord['componentesValor'] {
  return Object.fromEntries(Object.entries(parts).map(([name, valor]) => [name, { valor }]));
}
