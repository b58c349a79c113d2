// What needs a person about bank files: entries of return files that no rule can book, files that the bank does not answer, numbers
// of boletos that run out.
import type { FastifyRequest } from 'fastify';
import { entryView } from '../../charges/bank-files/return-entries.ts';
import { readAgreementUses } from '../../charges/bank-files/store-agreements.ts';
import { readUnseen } from '../../charges/bank-files/store-return-entries.ts';
import { readUnanswered, unansweredMessage } from '../../charges/bank-files/unanswered-files.ts';
import { scarceNumbers } from '../../charges/bank-files/warn-numbers.ts';
import type { Rails } from '../../rails/rails.ts';
import { html } from '../html.ts';
import { renewAddress } from './boleto-files.ts';
import type { ListDeps } from './charges.ts';
import { count } from './formats.ts';
import { type Need, need } from './need.ts';
import { idLink, table } from './parts.ts';
import { returnAddress, seenOf } from './returns.ts';
import { may } from './shell.ts';

export type BankNeedDeps = ListDeps & { readonly rails: Rails };

const FIRST = 10;

export async function entriesToSee(deps: ListDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'statements:read')) return undefined;
  const { entries, total } = await readUnseen(deps.db, FIRST);
  const rows = entries.map(record => {
    const { line, words, remark, chargeId, outcome } = entryView(record);
    return [
      html`<a href="${returnAddress(record.returnId)}?outcome=needs_attention">${record.rail}, line ${String(line)}</a>`,
      words,
      remark ?? '–',
      chargeId === undefined ? '–' : idLink(`/dashboard/charges/${chargeId}`, chargeId),
      seenOf({ outcome, line }, record.returnId, may(caller, 'statements:write')),
    ];
  });
  return need(
    'Bank entries to look at',
    total,
    '/dashboard/statements',
    table({ caption: 'Entries of return files to see', head: ['File', 'What', 'Why', 'Charge', ''], rows }),
  );
}

export async function unansweredFiles(deps: BankNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'statements:read')) return undefined;
  const files = await readUnanswered(deps);
  const rows = files
    .slice(0, FIRST)
    .map(file => [
      file.rail,
      unansweredMessage(file),
      may(caller, 'statements:write') &&
        html`<a class="button secondary small" href="${renewAddress(file)}">Send again</a>`,
    ]);
  return need(
    'Files without an answer',
    files.length,
    '/dashboard/boletos',
    table({ caption: 'Files that the bank does not answer', head: ['Agreement', 'What', ''], rows }),
  );
}

export async function numbersRunningOut(deps: BankNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'statements:read')) return undefined;
  const scarce = scarceNumbers(deps.rails, await readAgreementUses(deps.db, 1));
  const rows = scarce.map(({ rail, left }) => [
    rail,
    left === 0n ? 'No numbers are left: boletos are refused.' : `${count(left)} are left.`,
    'Ask the bank for a further range, and raise lastNumber.',
  ]);
  return need(
    'Numbers of boletos',
    scarce.length,
    '/dashboard/boletos',
    table({ caption: 'Agreements whose numbers run out', head: ['Agreement', 'What', 'Way out'], rows }),
  );
}
