// What needs an owner: login links that another owner asked for.
import type { FastifyRequest } from 'fastify';
import { listPeople } from '../../accounts/people/store-people.ts';
import { readActorNames } from '../../accounts/store-actors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sql } from '../../storage/database.ts';
import { when } from './formats.ts';
import { type Need, need } from './need.ts';
import { actorName, table } from './parts.ts';
import { approvableLinks, requestActs } from './people.ts';
import { may } from './shell.ts';

export type PeopleNeedDeps = { readonly db: Sql; readonly clock: Clock };

/** Only for people who may approve them. */
export async function linksToApprove({ db, clock }: PeopleNeedDeps, { caller }: FastifyRequest): Promise<Need> {
  const people = may(caller, 'people:write') ? await listPeople(db, clock.now(), caller?.accountId) : [];
  const waiting = await approvableLinks({ db }, caller, people);
  const names = await readActorNames(
    db,
    waiting.map(({ askedBy }) => askedBy),
  );
  const rows = waiting.map(({ personId, askedBy, askedAt, expiresAt }) => {
    const person = people.find(({ id }) => id === personId);
    return [
      person?.name,
      person?.role,
      actorName(names, askedBy),
      when(askedAt),
      when(expiresAt),
      requestActs(personId, true),
    ];
  });
  return need(
    'Login links to approve',
    rows.length,
    '/dashboard/people',
    table({ caption: 'Login links to approve', head: ['For', 'Role', 'Asked by', 'Asked', 'Until', ''], rows }),
  );
}
