// The metrics of agreements with banks that take files.
import { Gauge, type Registry } from 'prom-client';
import { type AgreementUse, numbersLeft } from '../../charges/bank-files/store-agreements.ts';
import type { OpenFile } from '../../charges/bank-files/store-answers.ts';
import { allRails, type Rails } from '../../rails/rails.ts';

type AgreementGauges = {
  readonly gauges: readonly Gauge<'rail'>[];
  show(uses: readonly AgreementUse[], unanswered: readonly OpenFile[], rails: Rails, now: Date): void;
};

export function agreementGauges(registry: Registry): AgreementGauges {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['rail'] as const, registers: [registry] });
  const numbers = gauge('trilho_boleto_numbers_left', 'Numbers for new boletos that an agreement still has.');
  const waiting = gauge('trilho_boleto_instructions_waiting', 'Instructions that wait for a file to the bank.');
  const age = gauge('trilho_boleto_oldest_waiting_seconds', 'How long the oldest of them waits.');
  const heard = gauge('trilho_boleto_last_return_timestamp_seconds', 'When a return file was last received.');
  const failed = gauge('trilho_boleto_exchange_failed', '1 when the last exchange with the SFTP server failed.');
  const unseen = gauge('trilho_boleto_entries_unseen', 'Entries of return files that a person must see.');
  const silent = gauge('trilho_boleto_files_unanswered', 'Files that the bank has not answered within its days.');
  return {
    gauges: [numbers, waiting, age, heard, failed, unseen, silent],
    show(uses, unanswered, rails, now) {
      const ranges = new Map(allRails(rails).map(({ name, numbers: range }) => [name, range]));
      for (const use of uses) {
        const { rail, waitingSince, lastReturnAt } = use;
        const range = ranges.get(rail);
        // It is no longer configured.
        if (!range) continue;
        numbers.set({ rail }, Number(numbersLeft(range, use)));
        waiting.set({ rail }, use.waiting);
        age.set({ rail }, waitingSince ? Math.max(0, (now.getTime() - waitingSince.getTime()) / 1000) : 0);
        if (lastReturnAt) heard.set({ rail }, lastReturnAt.getTime() / 1000);
        failed.set({ rail }, use.exchangeError === undefined ? 0 : 1);
        unseen.set({ rail }, use.unseenEntries);
        silent.set({ rail }, unanswered.filter(file => file.rail === rail).length);
      }
    },
  };
}
