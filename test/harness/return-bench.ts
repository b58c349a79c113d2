// A bank that is told by files, and what its returns say, in few words.
import { civilDay } from '../../src/lib/civil-days.ts';
import { bytesOf, returnLines, type Told } from '../packages/cnab/return-lines.ts';
import { type FileExchangeBench, type SentBoleto, startFileExchange } from './file-exchange.ts';
import type { Answer } from './service.ts';

export const AMOUNT = 15_990n;

export type ReturnBench = FileExchangeBench & {
  /** DDMMAAAA of the service. */
  today(): string;
  /** A boleto of which a file has told the bank. */
  one(changes?: Record<string, unknown>): Promise<SentBoleto>;
  /** What the bank says of a boleto, by default of today. */
  told(of: SentBoleto, occurrence: string, changes?: Partial<Told>): Told;
  paid(of: SentBoleto, changes?: Partial<Told>): Told;
  /** The next return of the bank, line by line. */
  lines(...entries: Told[]): string[];
  /** Brings it, and says how its entries ended. */
  outcomes(...entries: Told[]): Promise<Record<string, number>>;
  unmatched(): Promise<Answer['json'][]>;
  /** The remark of the newest entry with this outcome. */
  remark(outcome?: string): Promise<string | undefined>;
};

export async function startReturns(bank: string): Promise<ReturnBench> {
  const bench = await startFileExchange(bank, { name: `bank${bank}:main` });
  const { service } = bench;
  let sequence = 0;
  const today = () => civilDay(service.clock.now()).split('-').toReversed().join('');
  const told: ReturnBench['told'] = ({ number }, occurrence, changes = {}) => ({
    ...{ occurrence, number, amountCents: AMOUNT, day: today() },
    ...changes,
  });
  const lines = (...entries: Told[]) => returnLines(bank, entries, { sequence: ++sequence, day: today() });
  return {
    ...bench,
    today,
    one: async (changes = {}) => (await bench.send(changes))[0]!,
    told,
    paid: (of, changes = {}) =>
      told(of, '06', { paidCents: AMOUNT, feeCents: 250n, creditDay: '18112026', reasons: '61', ...changes }),
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
