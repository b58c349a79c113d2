// What needs a person about files of banks: entries of return files that no rule can book.
import type { FastifyRequest } from 'fastify';
import { entryView } from '../../charges/return-entries.ts';
import { readUnseen } from '../../charges/store-return-entries.ts';
import { html } from '../html.ts';
import type { ListDeps } from './charges.ts';
import { type Need, need } from './need.ts';
import { idLink, table } from './parts.ts';
import { returnAddress, seenOf } from './returns.ts';
import { may } from './shell.ts';

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
    'What banks say of boletos',
    total,
    '/dashboard/statements',
    table({ caption: 'Entries of return files to see', head: ['File', 'What', 'Why', 'Charge', ''], rows }),
  );
}
