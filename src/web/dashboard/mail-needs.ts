// What needs a person about mail: what the mail server does not take, with the way out; the same on the page of health.
import type { FastifyRequest } from 'fastify';
import { wayOutOf } from '../../billing/reminders/mail-faults.ts';
import { readMailFaults } from '../../billing/reminders/store-mail-faults.ts';
import type { Sql } from '../../storage/database.ts';
import type { Html } from '../html.ts';
import { count, when } from './formats.ts';
import { type Need, need } from './need.ts';
import { table } from './parts.ts';
import { mailCodeText } from './reminder-texts.ts';
import { may } from './shell.ts';

export async function mailFaults({ db }: { readonly db: Sql }, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'metrics:read')) return undefined;
  const faults = await readMailFaults(db);
  const waiting = faults.reduce((sum, fault) => sum + fault.count, 0);
  return need('Reminders that the mail server does not take', waiting, '/dashboard/health', tableOf(faults));
}

/** Undefined when it takes what it gets. */
export async function mailFaultTable(db: Sql): Promise<Html | undefined> {
  const faults = await readMailFaults(db);
  return faults.length === 0 ? undefined : tableOf(faults);
}

function tableOf(faults: Awaited<ReturnType<typeof readMailFaults>>): Html {
  const rows = faults.map(fault => [
    mailCodeText(fault.cause),
    count(fault.count),
    when(fault.since),
    `${wayOutOf(fault.cause)}; they are sent again for a day`,
  ]);
  return table({ caption: 'What the mail server refuses', head: ['What', '#Reminders', 'Since', 'Way out'], rows });
}
