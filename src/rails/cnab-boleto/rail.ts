// The rail of an agreement with a bank that registers boletos from files. Everything here is pure: others keep count of numbers and files,
// and transfer them to the bank.
import { createHash } from 'node:crypto';
import {
  type Agreement,
  boletoBarcode,
  CNAB_BANKS,
  type DiscountCode,
  type DiscountLimits,
  digitableLine,
  fileWriter,
  isOwnHeader,
  type ReturnEntry,
  readEntries,
  type Title,
  zeroFilled,
} from '@trilho/cnab';
import { type CivilDay, civilDay, daysBetween, momentOn } from '../../lib/civil-days.ts';
import { parseUnits } from '../../lib/decimals.ts';
import { AppError } from '../../lib/errors.ts';
import { checkRegistration } from '../boleto/check.ts';
import { dynamicBrCode, txidOf } from '../br-code.ts';
import type { BoletoInstrument } from '../methods/boleto.ts';
import type { PaymentRequest, Rail, Refusal } from '../rail.ts';
import { type Discount, discountCode, hundredthsIn, reductionOf, tooFinePercent } from '../reductions.ts';
import { type SftpSettings, sftpServer } from './sftp.ts';

export type CnabSettings = Agreement & {
  readonly name: string;
  /** The numbers that the bank has agreed to; default: all that fit. */
  readonly firstNumber?: string;
  readonly lastNumber?: string;
  /** The number of the first file; 1 when absent. */
  readonly firstFile?: number;
  readonly maxTitles?: number;
  /** Banking days; 2 when absent. */
  readonly answerDays?: number;
  readonly sftp?: SftpSettings;
};

/** Banks answer on the banking day after they received a file. */
const ANSWER_DAYS = 2;
/** The capacity of one lot; some banks accept only files of one lot. */
const MAX_TITLES = 24_000;
/** Six digits of the file header. */
const LAST_FILE = 999_999;
const PERCENT_DECIMALS = 2;

export const CNAB_CAN = { refund: false, withdraw: true, reduce: true };

/** The settings were checked by `checkAgreement`. */
export function cnabRail(settings: CnabSettings): Rail<'boleto'> {
  const bank = CNAB_BANKS.get(settings.bank);
  if (!bank) throw new AppError('not_configured', `Files of bank ${settings.bank} are not supported.`);
  const { account, name } = settings;
  const width = bank.boleto.ourNumberDigits(account);
  const largest = 10n ** BigInt(width) - 1n;
  const never = async (): Promise<never> => {
    throw new AppError('not_configured', `The bank of ${name} takes instructions by file only.`);
  };
  return {
    name,
    method: 'boleto',
    can: CNAB_CAN,
    slip: reference => ({
      bankName: bank.boleto.name,
      ourNumber: bank.boleto.formatOurNumber(account, reference),
      carteira: account.carteira ?? '',
      documentNumber: documentNumberOf(reference),
      beneficiary: {
        ...settings.holder,
        agency: withDigit(account.agency, account.agencyDigit),
        code: account.beneficiaryCode ?? withDigit(account.accountNumber, account.accountDigit),
      },
    }),
    check: request =>
      checkRegistration(request) ??
      checkTerms(request, bank.maxWriteOffDays) ??
      checkDiscounts(request, bank.discounts),
    numbers: {
      first: BigInt(settings.firstNumber ?? '1'),
      last: settings.lastNumber === undefined ? largest : BigInt(settings.lastNumber),
      agreement: bank.boleto.numberingOf(account),
      prepare: ({ amountCents, dueDay }, number) => {
        const reference = zeroFilled(String(number), width);
        const freeField = bank.boleto.freeField(account, reference);
        const barcode = boletoBarcode({ bank: bank.boleto.code, dueDay, amountCents, freeField });
        return { reference, instrument: { barcode, digitableLine: digitableLine(barcode) } };
      },
    },
    files: {
      firstFile: settings.firstFile ?? 1,
      lastFile: LAST_FILE,
      maxInstructions: settings.maxTitles ?? MAX_TITLES,
      answerDays: settings.answerDays ?? ANSWER_DAYS,
      open: (sequence, at) => {
        const day = civilDay(at);
        const writer = fileWriter(settings, { sequence, day, time: timeOf(day, at) });
        return {
          add: (movement, request, reference) =>
            writer.add({ movement, title: titleOf(settings, request, reference, bank.maxWriteOffDays) }),
          end: () => writer.end(),
        };
      },
      bank: settings.bank,
      settings: createHash('sha256').update(JSON.stringify(settings)).digest('hex'),
      owns: header => isOwnHeader(settings, header),
      entries: bytes => readEntries(bytes, account),
      isAbout,
      ...(settings.pix && { withCode: (...given) => withCode(settings, ...given) }),
      ...(settings.sftp && { server: sftpServer(name, settings.sftp) }),
    },
    prepare: () => {
      throw new AppError('not_configured', `A boleto of ${name} needs a number of its agreement.`);
    },
    submit: never,
    lookup: never,
    cancel: never,
    refund: never,
    lookupRefund: never,
  };
}

/** What the layout cannot express. */
function checkTerms(request: PaymentRequest, maxWriteOffDays: number | undefined): Refusal | undefined {
  for (const [path, percent] of [
    ['taxes.fine', request.finePercent],
    ['taxes.interest', request.interestPercent],
  ] as const) {
    if (percent !== undefined && parseUnits(percent, PERCENT_DECIMALS) === undefined) {
      return { path, code: 'too_many_decimals', message: 'has more than two decimals, which the bank does not accept' };
    }
  }
  if (maxWriteOffDays !== undefined && daysBetween(request.dueDay, request.expireDay) > maxWriteOffDays) {
    const message = `is more than ${maxWriteOffDays} days after dueAt, which the bank does not accept`;
    return { path: 'expireAt', code: 'too_late', message };
  }
  return undefined;
}

/** Kinds of discounts that the bank does not take, and more of them than it takes. */
function checkDiscounts(request: PaymentRequest, limits: DiscountLimits | undefined): Refusal | undefined {
  const path = tooFinePercent(request);
  if (path !== undefined) {
    return { path, code: 'too_many_decimals', message: 'has more than two decimals, which the bank does not accept' };
  }
  const { discounts: [first, ...others] = [] } = request;
  if (!first || !limits) return undefined;
  if (!limits.codes.includes(codeOf(first))) {
    return { path: 'discounts[0]', code: 'not_offered', message: 'is of a kind that the bank does not take in files' };
  }
  if (others.length < limits.most) return undefined;
  const message = `is one more than the ${limits.most} that the bank takes in files`;
  return { path: `discounts[${limits.most}]`, code: 'not_offered', message };
}

const codeOf = (discount: Discount): DiscountCode => `${discountCode(discount)}`;

/** Those of the title; an abatement is an amount there. */
function reductionsOf({ amountCents, dueDay, abatement, discounts }: PaymentRequest): Partial<Title> {
  const abatementCents = abatement ? reductionOf(amountCents, abatement) : 0n;
  const ofTitle = discounts?.map(discount => ({
    code: codeOf(discount),
    day: 'until' in discount ? discount.until : dueDay,
    hundredths: hundredthsIn(discount)!,
  }));
  return { ...(abatementCents > 0n && { abatementCents }), ...(ofTitle && { discounts: ofTitle }) };
}

function titleOf(
  { pix }: Agreement,
  request: PaymentRequest,
  reference: string,
  maxWriteOffDays: number | undefined,
): Title {
  const { id, amountCents, createdAt, dueDay, expireDay, finePercent, interestPercent, payer } = request;
  const { street, number, complement, neighborhood, postalCode, city, state } = payer.address ?? {};
  const place = [street, number, complement].filter(Boolean).join(' ');
  return {
    ourNumber: reference,
    documentNumber: documentNumberOf(reference),
    ownId: txidOf(id),
    issueDay: earlier(civilDay(createdAt), dueDay),
    dueDay,
    amountCents,
    ...(isSome(interestPercent) && { interestPercent }),
    ...(isSome(finePercent) && { finePercent }),
    ...reductionsOf(request),
    // Zero days would leave the choice to the bank, so it is at least one.
    ...(maxWriteOffDays !== undefined && { writeOffDays: Math.max(1, daysBetween(dueDay, expireDay)) }),
    ...(pix && { pix: { key: pix.key, keyType: pix.keyType, txid: pixTxidOf(request) } }),
    payer: {
      name: payer.name,
      document: payer.document,
      ...(place !== '' && { street: place }),
      ...(neighborhood !== undefined && { neighborhood }),
      ...(postalCode !== undefined && { postalCode: postalCode.replace(/\D/g, '') }),
      ...(city !== undefined && { city }),
      ...(state !== undefined && { state }),
    },
  };
}

/** The txid of the pix charge that the bank makes for the boleto. Not that of the charge's own pix, which is another method. */
const pixTxidOf = ({ id }: PaymentRequest) => `BOL${id.replaceAll('-', '')}`;

/** The boleto with a pix code for the location that the bank returned; unchanged without a location, or when no code can hold it. */
function withCode(
  { holder, pix }: Agreement,
  instrument: BoletoInstrument,
  { location }: ReturnEntry,
  request: PaymentRequest,
): BoletoInstrument {
  if (location === undefined || !pix) return instrument;
  const emv = dynamicBrCode(location, { receiverName: holder.name, receiverCity: pix.city });
  if (emv === undefined) return instrument;
  return { ...instrument, pix: { emv, location: location.replace(/^https?:\/\//i, ''), txid: pixTxidOf(request) } };
}

/** «Seu número»: ten characters at Itaú. */
const documentNumberOf = (reference: string) => reference.replace(/^0+/, '').slice(-10);
const withDigit = (number = '', digit = '') => (digit === '' ? number : `${number}-${digit}`);

const OWN_ID = /^[0-9A-Z]{25}$/;

/** Our id comes back with it. Where a bank puts something else there, amount and due day must match the request. */
function isAbout({ ownId, amountCents, dueDay, meaning }: ReturnEntry, request: PaymentRequest): boolean {
  if (ownId === txidOf(request.id)) return true;
  if (ownId !== undefined && OWN_ID.test(ownId)) return false;
  if (amountCents !== request.amountCents) return false;
  // The bank may already have the requested day, and an answer about the day may contain any.
  const days = [undefined, request.dueDay, request.askedDueDay];
  return meaning === 'due_day_changed' || days.includes(dueDay);
}

const isSome = (percent: string | undefined) => percent !== undefined && /[1-9]/.test(percent);
const earlier = (a: CivilDay, b: CivilDay) => (a < b ? a : b);

/** HHMMSS of an instant within its day in São Paulo, which may have 23 or 25 hours. */
function timeOf(day: CivilDay, at: Date): string {
  const seconds = Math.floor((at.getTime() - momentOn(day).getTime()) / 1_000);
  const inDay = Math.min(Math.max(seconds, 0), 86_399);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return two(inDay / 3_600) + two((inDay % 3_600) / 60) + two(inDay % 60);
}
