// A bank whose boletos go by file, and its return files, in short form.
import { civilDay } from '../../src/lib/civil-days.ts';
import { bytesOf, type Entry, returnLines } from '../packages/cnab/return-lines.ts';
import { type FileExchangeBench, type SentBoleto, startFileExchange } from './file-exchange.ts';
import type { Answer } from './service.ts';

export const AMOUNT = 15_990n;

export type ReturnBench = FileExchangeBench & {
  /** Today on the service's clock, as DDMMAAAA. */
  today(): string;
  /** A boleto that was sent to the bank in a file. */
  one(changes?: Record<string, unknown>): Promise<SentBoleto>;
  /** An entry of a return about a boleto, by default of today. */
  entry(of: SentBoleto, occurrence: string, changes?: Partial<Entry>): Entry;
  paid(of: SentBoleto, changes?: Partial<Entry>): Entry;
  /** The next return of the bank, line by line. */
  lines(...entries: Entry[]): string[];
  /** Uploads a return with these entries, and returns how many ended in each outcome. */
  outcomes(...entries: Entry[]): Promise<Record<string, number>>;
  unmatched(): Promise<Answer['json'][]>;
  /** The remark of the newest entry with this outcome. */
  remark(outcome?: string): Promise<string | undefined>;
};

export async function startReturns(bank: string): Promise<ReturnBench> {
  const bench = await startFileExchange(bank, { name: `bank${bank}:main` });
  const { service } = bench;
  let sequence = 0;
  const today = () => civilDay(service.clock.now()).split('-').toReversed().join('');
  const entry: ReturnBench['entry'] = ({ number }, occurrence, changes = {}) => ({
    ...{ occurrence, number, amountCents: AMOUNT, day: today() },
    ...changes,
  });
  const lines = (...entries: Entry[]) => returnLines(bank, entries, { sequence: ++sequence, day: today() });
  return {
    ...bench,
    today,
    one: async (changes = {}) => (await bench.send(changes))[0]!,
    entry,
    paid: (of, changes = {}) =>
      entry(of, '06', { paidCents: AMOUNT, feeCents: 250n, creditDay: '18112026', reasons: '61', ...changes }),
    lines,
    outcomes: async (...entries) => ({ ...(await bench.read(bytesOf(lines(...entries)))).file.counts }),
    unmatched: async () => (await service.get('/payments/unmatched')).json.payments,
    remark: async (outcome = 'needs_attention') => {
      const [row] = await service.sql<{ remark: string }>(
        'select remark from boleto_return_entries where outcome = $1 order by return_id desc, line desc limit 1',
        [outcome],
      );
      return row?.remark;
    },
  };
}
