// What holds for every statement: it is read back as it was written, the same each time, within its limits, and any other
// bytes throw only a StatementError.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { uuidV7 } from '../../../src/lib/ids.ts';
import { txidOf } from '../../../src/rails/br-code.ts';
import {
  MAX_STATEMENT_BYTES,
  readStatement,
  type StatementEntry,
  type StatementFormat,
} from '../../../src/rails/statement/statement.ts';
import { StatementError } from '../../../src/rails/statement/statement-error.ts';
import { MAX_STATEMENT_FAULTS } from '../../../src/rails/statement/statement-line.ts';
import { scaled } from '../../harness/scale.ts';
import { atMinus3, csv, ofx1, ofx2 } from './write-statement.ts';

const SEED = 20_261_116;
/** Damaged files; also the fewest of them include both outcomes. */
const DAMAGED = scaled(5_000, 500);

// Letters above 0xC0 and no signs of 0x80 to 0xBF, so that Latin-1 is never valid UTF-8 by chance.
const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019ãçéÕÊü&<>",;.:-/*$()'), minLength: 1, maxLength: 12 });
const moment = fc
  .date({ min: new Date('2020-11-16T03:00:00Z'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map(at => new Date(at.getTime() - (at.getTime() % 1_000)))
  .filter(at => !atMinus3(at).endsWith('T00:00:00'));
const txid = fc.uuid().map(txidOf);
const endToEndId = fc
  .tuple(fc.stringMatching(/^\d{8}$/), moment, fc.stringMatching(/^[0-9A-Za-z]{11}$/))
  .map(([ispb, at, tail]) => `E${ispb}${at.toISOString().slice(0, 16).replace(/\D/g, '')}${tail}`);

const entry: fc.Arbitrary<StatementEntry> = fc
  .record({
    id: fc.uuid(),
    at: moment,
    timed: fc.boolean(),
    amountCents: fc.bigInt(-99_999_999_999n, 99_999_999_999n),
    words: fc.array(word, { minLength: 1, maxLength: 4 }),
    txid: fc.option(txid, { nil: undefined }),
    endToEndId: fc.option(endToEndId, { nil: undefined }),
  })
  .map(({ id, at, timed, amountCents, words, ...ids }) => ({
    reference: id,
    postedDay: atMinus3(at).slice(0, 10),
    ...(timed && { postedAt: at }),
    amountCents,
    text: ['PIX', ...words, ids.txid, ids.endToEndId].filter(part => part !== undefined).join(' '),
    ...(ids.txid !== undefined && { txid: ids.txid }),
    ...(ids.endToEndId !== undefined && { endToEndId: ids.endToEndId }),
  }));
const entries = fc.uniqueArray(entry, { maxLength: 8, selector: ({ reference }) => reference });

const style = fc.record({
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  charset: fc.constantFrom('utf8' as const, 'latin1' as const),
  decimal: fc.constantFrom('.' as const, ',' as const),
});
const csvStyle = fc
  .record({
    separator: fc.constantFrom(',' as const, ';' as const, '\t' as const),
    bom: fc.boolean(),
    dates: fc.constantFrom('day first' as const, 'year first' as const),
    amounts: fc.constantFrom(
      'plain' as const,
      'grouped' as const,
      'symbol' as const,
      'letter' as const,
      'columns' as const,
    ),
    preamble: fc.boolean(),
  })
  .chain(own => style.map(shared => ({ ...own, ...shared })));

test('a statement written as OFX 1 or OFX 2 is read back', () => {
  fc.assert(
    fc.property(entries, style, (written, how) => {
      assert.deepEqual(readStatement(ofx1(written, how), 'ofx'), { entries: written, faults: [] });
      assert.deepEqual(readStatement(ofx2(written, how), 'ofx'), { entries: written, faults: [] });
    }),
    { numRuns: scaled(1_000), seed: SEED },
  );
});

test('a statement written as CSV is read back', () => {
  fc.assert(
    fc.property(entries, csvStyle, (written, how) => {
      const reading = readStatement(csv(written, how), 'csv', { debitsHaveMinus: true });
      assert.deepEqual(reading, { entries: written, faults: [] });
    }),
    { numRuns: scaled(2_000), seed: SEED },
  );
});

test('a CSV without any sign or direction gives no credit, and an unsigned debit is never received', () => {
  const unsigned = (some: readonly StatementEntry[]) =>
    some.map(each => ({ ...each, amountCents: each.amountCents < 0n ? -each.amountCents : each.amountCents }));
  fc.assert(
    fc.property(entries, csvStyle, (written, how) => {
      const amounts = how.amounts === 'letter' || how.amounts === 'columns' ? 'plain' : how.amounts;
      const reading = readStatement(csv(unsigned(written), { ...how, amounts }), 'csv');
      assert.ok(!reading.entries.some(({ amountCents }) => amountCents > 0n));
      assert.equal(reading.entries.length + reading.faults.length, written.length);
    }),
    { numRuns: scaled(1_000), seed: SEED },
  );
});

type Mutation = { readonly at: number; readonly length: number; readonly bytes: Uint8Array };

function mutate(original: Buffer, mutations: readonly Mutation[]): Buffer {
  return mutations.reduce((bytes, { at, length, bytes: inserted }) => {
    const from = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(from + length)]);
  }, original);
}

test('a damaged file throws only a StatementError, and what is read of it is valid and repeatable', () => {
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '</',
      '<!--',
      '<![CDATA[',
      '<?',
      '&',
      '&#',
      '"',
      '""',
      ';',
      ',',
      '\t',
      '\n',
      '\r',
      '\0',
      '-',
      '1.234',
    ],
    ...['<STMTTRN>', '</STMTTRN>', '<OFX>', '</OFX>', '<TRNAMT>', '<FITID>', 'valor', 'data', '\ufeff'],
  );
  const inserted = fc.oneof(
    piece.map(text => new Uint8Array(Buffer.from(text))),
    fc.uint8Array({ maxLength: 6 }),
  );
  const mutation = fc.record({ at: fc.nat(), length: fc.nat({ max: 40 }), bytes: inserted });
  let read = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      entries,
      csvStyle,
      fc.nat({ max: 2 }),
      fc.array(mutation, { maxLength: 6 }),
      (some, how, kind, changes) => {
        const format: StatementFormat = kind === 2 ? 'csv' : 'ofx';
        const bytes = mutate(kind === 0 ? ofx1(some, how) : kind === 1 ? ofx2(some, how) : csv(some, how), changes);
        try {
          const reading = readStatement(bytes, format);
          read++;
          assert.deepEqual(readStatement(bytes, format), reading);
          const references = reading.entries.map(({ reference }) => reference);
          assert.equal(new Set(references).size, references.length);
          for (const { reference, text, postedDay } of reading.entries) {
            assert.ok(
              reference !== '' && !`${reference}${text}`.includes('\0') && `${reference}${text}`.isWellFormed(),
            );
            assert.match(postedDay, /^\d{4}-\d{2}-\d{2}$/);
          }
          for (const { line } of reading.faults) assert.ok(line >= 1);
        } catch (error) {
          if (!(error instanceof StatementError)) throw error;
          refused++;
        }
      },
    ),
    { numRuns: DAMAGED, seed: SEED },
  );
  assert.ok(
    read > DAMAGED / 2 && refused > DAMAGED / 250,
    `the mutations have both outcomes: ${read} read, ${refused} refused`,
  );
});

test('random bytes throw only a StatementError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom('ofx' as const, 'csv' as const), (bytes, format) => {
      const heads = { ofx: '<OFX><STMTTRN>', csv: 'data;valor\n' };
      try {
        readStatement(Buffer.concat([Buffer.from(heads[format]), bytes]), format);
      } catch (error) {
        assert.ok(error instanceof StatementError);
      }
    }),
    { numRuns: scaled(5_000), seed: SEED },
  );
});

test('a txid of ours is found wherever a bank prints it', () => {
  const ours = txidOf(uuidV7(new Date('2026-11-16T15:00:00Z')));
  for (const memo of [`PIX ${ours}`, `PIX*${ours.toLowerCase()}*`, `Pedido: ${ours}, obrigado`, `REF/TXID${ours}/1`]) {
    const bytes = Buffer.from(`data;valor;memo\n16/11/2026;10,00;${memo}\n`);
    assert.equal(readStatement(bytes, 'csv', { debitsHaveMinus: true }).entries[0]?.txid, ours, memo);
  }
});

const refused = (bytes: Buffer, format: StatementFormat, message: RegExp) =>
  assert.throws(
    () => readStatement(bytes, format),
    error => error instanceof StatementError && message.test(error.message),
  );

test('a statement of too many bytes or faults is refused, and one with as many faults as it may have is read', () => {
  refused(Buffer.alloc(MAX_STATEMENT_BYTES + 1, 'x'), 'ofx', /larger than 10485760 bytes/);
  const faulty = (count: number) => Buffer.from(`data;valor;id\n${'x\n'.repeat(count)}`);
  assert.equal(readStatement(faulty(MAX_STATEMENT_FAULTS), 'csv').faults.length, MAX_STATEMENT_FAULTS);
  refused(faulty(MAX_STATEMENT_FAULTS + 1), 'csv', /More than 10000 lines/);
});
