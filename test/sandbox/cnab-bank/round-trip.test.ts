// Files by our tables, through a bank that does not use these tables, and back: for every bank, random titles and every occurrence,
// with every reason in the deep tier and every tenth in the first.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import {
  CNAB_BANKS,
  type DiscountCode,
  fileWriter,
  type Meaning,
  type Movement,
  occurrencesOf,
  type ReturnEntry,
  readEntries,
  readHead,
  reasonsOf,
  type Title,
} from '@trilho/cnab';
import { DISCOUNT_CODES, PERCENT_DISCOUNTS } from '../../../packages/cnab/src/agreement.ts';
import { addDays } from '../../../src/lib/civil-days.ts';
import { formatUnits } from '../../../src/lib/decimals.ts';
import { type CnabBank, openBank } from '../../../src/sandbox/cnab-bank/bank.ts';
import { FileRefused } from '../../../src/sandbox/cnab-bank/take-file.ts';
import { type Random, randomOf } from '../../harness/random.ts';
import { scaled } from '../../harness/scale.ts';
import { AGREEMENTS, BANKS, HEAD, TITLE } from '../../packages/cnab/agreements.ts';
import { customerOf } from './customers.ts';

const TODAY = HEAD.day;
const SEED = 22;
const CASES = scaled(120, 20);
const STRIDE = 10 / scaled(10);
/** The barcode has ten digits for it. */
const MAX_CENTS = 9_999_999_999;

const NAMES = [
  'José da Conceição',
  'MARIA',
  'Łukasz Ñuñez d’Ávila',
  'A'.repeat(60),
  'Açaí & Cia. Ltda (filial 2)',
  'Ω 1',
];
const DOCUMENTS = ['52998224725', '11222333000181', '12ABC34501DE35', '00000000191'];
const percent = (random: Random) => formatUnits(BigInt(1 + random.below(1_000)), 2);

/** An amount of any size, small ones as often as large ones. */
function anyCents(random: Random): bigint {
  return BigInt(1 + random.below(Math.min(10 ** (1 + random.below(10)), MAX_CENTS)));
}

/** An abatement and discounts that the bank accepts, for a title of at least R$ 1.00. */
function randomReductions(
  bank: string,
  random: Random,
  { amountCents, dueDay }: Pick<Title, 'amountCents' | 'dueDay'>,
) {
  if (amountCents < 100n || random.chance(0.4)) return {};
  const { codes = Object.keys(DISCOUNT_CODES) as DiscountCode[], most = 3 } = CNAB_BANKS.get(bank)!.discounts ?? {};
  const code = random.pick(codes);
  const isUntilADay = code === '1' || code === '2';
  const count = isUntilADay ? 1 + random.below(most) : 1;
  const most1 = PERCENT_DISCOUNTS.includes(code) ? 1_000n : amountCents / 10n;
  const discounts = Array.from({ length: count }, (_, index) => ({
    code,
    day: isUntilADay ? addDays(dueDay, index - count + 1) : dueDay,
    hundredths: most1 - BigInt(index),
  }));
  return {
    ...(random.chance(0.7) && { discounts }),
    ...(random.chance(0.5) && { abatementCents: BigInt(1 + random.below(Number(amountCents / 10n))) }),
  };
}

function randomTitle(bank: string, random: Random, index: number): Title {
  const rules = CNAB_BANKS.get(bank)!;
  const issueDay = addDays(TODAY, -random.below(20));
  const width = rules.boleto.ourNumberDigits(AGREEMENTS[bank]!.account);
  const days = rules.maxWriteOffDays;
  const asked = { dueDay: addDays(issueDay, random.below(400)), amountCents: anyCents(random) };
  return {
    ...randomReductions(bank, random, asked),
    ourNumber: `${random.below(9)}`.repeat(width).slice(0, width - 5) + String(index + 1).padStart(5, '0'),
    documentNumber: String(index + 1),
    ownId: random.chance(0.5) ? `${'A1B2C'.repeat(4)}${String(index).padStart(5, '0')}` : 'SHORT',
    issueDay,
    ...asked,
    ...(random.chance(0.5) && { interestPercent: percent(random) }),
    ...(random.chance(0.5) && { finePercent: percent(random) }),
    ...(days !== undefined && { writeOffDays: 1 + random.below(days) }),
    payer: {
      name: random.pick(NAMES),
      document: random.pick(DOCUMENTS),
      street: random.pick(['Rua das Flores, 10', 'Av. São João 1.000 – Bloco Ç', 'X'.repeat(80)]),
      neighborhood: random.pick(['Centro', 'Jardim São Luís e arredores']),
      postalCode: random.pick(['01001000', '99999999']),
      city: random.pick(['São Paulo', 'São José do Vale do Rio Preto']),
      state: random.pick(['SP', 'RR']),
    },
  };
}

type Exchange = {
  readonly bank: CnabBank;
  send(movement: Movement, ...titles: readonly Title[]): void;
  numberOf(title: Title): string;
  /** The entries of the next return, and its warnings. */
  nextReturn(): { readonly entries: readonly ReturnEntry[]; readonly warnings: readonly string[] };
};

function exchangeWith(code: string): Exchange {
  const agreement = AGREEMENTS[code]!;
  const bank = openBank(customerOf(code));
  let sequence = 0;
  const numbers = new Map<string, string>();
  return {
    bank,
    send: (movement, ...titles) => {
      const writer = fileWriter(agreement, { ...HEAD, sequence: ++sequence });
      const text = titles.map(title => writer.add({ movement, title })).join('') + writer.end();
      bank.take(Buffer.from(text, 'latin1'), TODAY);
      const { news } = bank.state();
      for (const [index, { title }] of news.slice(-titles.length).entries()) {
        numbers.set(titles[index]!.ourNumber, title.number);
      }
    },
    numberOf: title => numbers.get(title.ourNumber)!,
    nextReturn: () => {
      const bytes = bank.makeReturn({ day: TODAY, time: '180000' });
      assert.equal(readHead(bytes).bank, code);
      const read = readEntries(bytes, agreement.account);
      const entries: ReturnEntry[] = [];
      for (let next = read.next(); ; next = read.next()) {
        if (next.done) return { entries, warnings: next.value.warnings.map(({ message }) => message) };
        entries.push(next.value);
      }
    },
  };
}

const MEANINGS: Readonly<Record<string, Meaning>> = {
  '06': 'paid',
  '09': 'written_off',
  '17': 'paid',
  '44': 'reversed',
};

const UNKNOWN = 'unknown code';

const reasonsToTell = new Map<Meaning, readonly string[]>();

/** Codes with a description for such an occurrence. */
function reasonCodes(meaning: Meaning): readonly string[] {
  const codes = reasonsToTell.get(meaning) ?? findReasons(meaning).filter((_, index) => index % STRIDE === 0);
  reasonsToTell.set(meaning, codes);
  return codes;
}

function findReasons(meaning: Meaning): string[] {
  const marks = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = marks.flatMap(first => marks.map(second => first + second)).filter(code => code !== '00');
  return codes.filter(code => reasonsOf(meaning, code)[0]?.text !== UNKNOWN);
}

/** Santander counts its records differently. */
const oddities = (code: string) =>
  code === '033' ? ['the trailer counts other records of the file than there are'] : [];

for (const code of BANKS) {
  describe(`bank ${code}`, () => {
    test('registers any title, and the return has the same title', () => {
      const exchange = exchangeWith(code);
      const titles = Array.from({ length: CASES }, (_, index) => randomTitle(code, randomOf(SEED, index), index));
      exchange.send('register', ...titles);
      const { entries, warnings } = exchange.nextReturn();
      assert.deepEqual(warnings, oddities(code));
      assert.equal(entries.length, CASES);
      for (const [index, entry] of entries.entries()) {
        const { ourNumber, ownId, dueDay, amountCents } = titles[index]!;
        const seen = [entry.meaning, entry.reasons, entry.ourNumber, entry.ownId, entry.dueDay, entry.amountCents];
        assert.deepEqual(seen, ['registered', [], ourNumber, ownId, dueDay, amountCents], `case ${index}`);
      }
    });

    test('pays, pays after a write-off, and reverses any amount: amount, days, fee and channel come back', () => {
      const exchange = exchangeWith(code);
      const random = randomOf(SEED, Number(code));
      const titles = Array.from({ length: CASES }, (_, index) => randomTitle(code, randomOf(SEED + 1, index), index));
      exchange.send('register', ...titles);
      exchange.nextReturn();
      const expected = titles.map(title => {
        const number = exchange.numberOf(title);
        const isLate = random.chance(0.3);
        const paidCents = random.chance(0.5) ? title.amountCents : anyCents(random);
        const short = title.amountCents - (title.abatementCents ?? 0n) - paidCents;
        const isDiscounted = short > 0n && title.discounts !== undefined;
        const discountCents = isDiscounted ? short : 0n;
        const abatementCents = (title.abatementCents ?? 0n) + (short > 0n && !isDiscounted ? short : 0n);
        const feeCents = BigInt(random.below(1_000));
        const channel = random.pick(['03', '06', '31', '32', '61']);
        const creditDay = addDays(TODAY, random.below(5));
        if (isLate) exchange.bank.writeOff(number, TODAY, '13');
        exchange.bank.pay(number, { day: TODAY, amountCents: paidCents, creditDay, feeCents, channel });
        const isReversed = exchange.bank.reportsReversals && random.chance(0.2);
        if (isReversed) exchange.bank.reverse(number, TODAY);
        const of = (occurrence: string, ...rest: unknown[]) => [title.ourNumber, MEANINGS[occurrence], ...rest];
        return [
          ...(isLate ? [of('09', 0n, 0n, 0n, 0n, ['13'], TODAY, undefined)] : []),
          of(
            isLate && code !== '341' ? '17' : '06',
            ...[paidCents, discountCents, abatementCents, feeCents, [channel], TODAY, creditDay],
          ),
          ...(isReversed ? [of('44', paidCents, discountCents, abatementCents, 0n, [], TODAY, undefined)] : []),
        ];
      });
      const { entries, warnings } = exchange.nextReturn();
      assert.deepEqual(warnings, oddities(code));
      const seen = entries.map(one => {
        const { ourNumber, meaning, paidCents, discountCents, abatementCents, feeCents } = one;
        const codes = one.reasons.map(reason => reason.code);
        const amounts = [paidCents, discountCents, abatementCents, feeCents];
        return [ourNumber, meaning, ...amounts, codes, one.occurrenceDay, one.creditDay];
      });
      assert.deepEqual(seen, expected.flat());
    });

    test('rejects what it cannot register, with its reasons, and registers the rest', () => {
      const exchange = exchangeWith(code);
      const payer = { ...TITLE.payer, name: ' ', document: '52998224700', postalCode: '0', state: 'XX' };
      const bad: Title = { ...TITLE, ourNumber: '1', dueDay: '2026-11-16', payer };
      exchange.send('register', bad, { ...TITLE, ourNumber: '2' }, { ...TITLE, ourNumber: '2' });
      const { entries } = exchange.nextReturn();
      assert.deepEqual(
        entries.map(({ meaning, reasons }) => [meaning, reasons.map(reason => reason.code)]),
        [
          ['rejected', code === '341' ? ['17', '45', '46', '48'] : ['17', '45', '46', '48', '52']],
          ['registered', []],
          ['rejected', ['09']],
        ],
      );
      assert.ok(entries[0]!.reasons.every(({ text }) => text !== ''));
    });

    test('rejects invalid discounts and abatements with the codes of the norm', () => {
      const exchange = exchangeWith(code);
      const code1 = { code: '1', day: TITLE.dueDay, hundredths: 1_000n } as const;
      const wrong: readonly Partial<Title>[] = [
        { discounts: [{ ...code1, hundredths: TITLE.amountCents }] },
        { discounts: [{ ...code1, day: addDays(TITLE.dueDay, 1) }] },
        { abatementCents: TITLE.amountCents },
        { discounts: [code1], abatementCents: 1n },
      ];
      exchange.send('register', ...wrong.map((part, index) => ({ ...TITLE, ...part, ourNumber: String(index + 1) })));
      assert.deepEqual(
        exchange.nextReturn().entries.map(({ reasons }) => reasons.map(reason => reason.code)),
        [['29'], ['80'], ['34'], []],
      );
    });

    test('carries out a write-off and a change of the due day, and refuses those of titles that are not open', () => {
      const exchange = exchangeWith(code);
      const [off, moved, unknown] = ['1', '2', '3'].map(ourNumber => ({ ...TITLE, ourNumber }));
      exchange.send('register', off!, moved!);
      exchange.send('write_off', off!);
      exchange.send('change_due_day', { ...moved!, dueDay: '2026-12-24' });
      exchange.send('write_off', unknown!, off!);
      const { entries } = exchange.nextReturn();
      assert.deepEqual(
        entries.map(({ occurrence, meaning, reasons }) => [occurrence, meaning, reasons[0]?.code]),
        [
          ['02', 'registered', undefined],
          ['02', 'registered', undefined],
          ['09', 'written_off', '10'],
          ['14', 'due_day_changed', undefined],
          [code === '341' ? '16' : '26', 'refused', '60'],
          [code === '341' ? '16' : '26', 'refused', 'A7'],
        ],
      );
      assert.equal(entries[3]?.dueDay, '2026-12-24');
    });

    test('reports every occurrence, with any amounts and every reason that has a description', () => {
      const exchange = exchangeWith(code);
      exchange.send('register', TITLE);
      exchange.nextReturn();
      const number = exchange.numberOf(TITLE);
      const random = randomOf(SEED + 2, Number(code));
      const expected: unknown[] = [];
      for (const [occurrence, { meaning, text }] of Object.entries(occurrencesOf(code))) {
        for (const reason of reasonCodes(meaning)) {
          const [paidCents, feeCents] = [anyCents(random), BigInt(random.below(100_000))];
          const creditDay = addDays(TODAY, random.below(9));
          exchange.bank.report(number, occurrence, TODAY, { reasons: [reason], paidCents, feeCents, creditDay });
          expected.push([occurrence, meaning, text, reason, paidCents, feeCents, TODAY, creditDay, TITLE.amountCents]);
        }
      }
      const { entries, warnings } = exchange.nextReturn();
      assert.deepEqual(warnings, oddities(code));
      const seen = entries.map(one => {
        const { occurrence, meaning, text, reasons, paidCents, feeCents, occurrenceDay, creditDay, amountCents } = one;
        assert.equal(reasons.length, 1);
        assert.notEqual(reasons[0]?.text, UNKNOWN);
        const days = [occurrenceDay, creditDay];
        return [occurrence, meaning, text, reasons[0]?.code, paidCents, feeCents, ...days, amountCents];
      });
      assert.deepEqual(seen, expected);
    });

    test('refuses a file with one wrong character in its headers and trailers, of another customer, or with a used sequence', () => {
      const agreement = AGREEMENTS[code]!;
      const writer = fileWriter(agreement, HEAD);
      const text = writer.add({ movement: 'register', title: TITLE }) + writer.end();
      const take = (changed: string) => openBank(customerOf(code)).take(Buffer.from(changed, 'latin1'), TODAY);
      const refused = (changed: string, pattern: RegExp) =>
        assert.throws(
          () => take(changed),
          error => error instanceof FileRefused && pattern.test(error.message),
        );
      const lines = text.split('\r\n');
      const put = (line: number, column: number, part: string) =>
        lines
          .map((one, index) =>
            index === line ? one.slice(0, column - 1) + part + one.slice(column - 1 + part.length) : one,
          )
          .join('\r\n');
      const last = lines.length - 2;
      assert.deepEqual(take(text), { sequence: HEAD.sequence, titles: 1, isRepeat: false });
      refused(put(0, 19, '9'), /names another holder/);
      refused(put(0, 143, '2'), /not of a file to a bank/);
      refused(put(0, 164, '999'), /layout 999 is not known/);
      refused(put(1, 9, 'T'), /line 2: is no lot header/);
      refused(put(1, 184, '00000099'), /another sequence/);
      refused(put(2, 9, '00009'), /line 3: is out of order/);
      refused(put(last - 1, 18, '000099'), /has not \d+ records/);
      refused(put(last, 24, '000099'), /counts other lots or records/);
      refused(text.slice(0, -2), /no end/);
      refused(text.replace('\r\n', ' \r\n'), /line 1: has 241 characters/);
      refused(put(2, 120, 'é'), /printable ASCII/);
      const bank = openBank(customerOf(code));
      bank.take(Buffer.from(text, 'latin1'), TODAY);
      assert.equal(bank.take(Buffer.from(text, 'latin1'), TODAY).isRepeat, true, 'the same bytes');
      assert.equal(bank.state().news.length, 1);
      assert.throws(() => bank.take(Buffer.from(put(2, 86, '9'), 'latin1'), TODAY), /total|sequence 7 was used before/);
    });
  });
}

test('a pix key goes to Santander with the title, and its location comes back', () => {
  const exchange = exchangeWith('033');
  const pix = { keyType: '5', key: 'b2e0a2f0-3f0d-4c55-9d3f-2f1a5c7d9e10', txid: 'TRILHO0000000000000000000042' };
  exchange.send('register', { ...TITLE, pix });
  const { entries } = exchange.nextReturn();
  assert.equal(entries[0]?.location, `pix.example.com/qr/${pix.txid}`);
});

test('the simulated bank does not import the tables of the service', () => {
  const folder = path.resolve(import.meta.dirname, '../../../src/sandbox/cnab-bank');
  for (const file of globSync('**/*.ts', { cwd: folder })) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    assert.doesNotMatch(text, /from '[^']*(rails\/|@trilho\/)/, file);
  }
});
