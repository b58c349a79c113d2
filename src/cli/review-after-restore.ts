// What a person reviews after a restore: everything that was revoked, removed, replaced or withdrawn after the backup works again, and
// the backup cannot know what that was.
import { prefixOf } from '../accounts/api-key.ts';
import { listPeople } from '../accounts/people/store-people.ts';
import { listKeys } from '../accounts/store-keys.ts';
import { hasLinks } from '../charges/store/links.ts';
import { readWebhooks } from '../events/store-webhooks.ts';
import type { Sql } from '../storage/database.ts';

const MAX_SHOWN = 50;

export async function reviewAfterRestore(sql: Sql, asOf: Date): Promise<string[]> {
  const now = new Date();
  const keys = (await listKeys(sql)).filter(
    ({ revokedAt, expiresAt }) => !revokedAt && !(expiresAt && expiresAt <= now),
  );
  const people = await listPeople(sql, now);
  const { webhooks, total } = await readWebhooks(sql, { page: 1, pageSize: MAX_SHOWN }, undefined);
  const lines = [
    ...section('Keys', 'trilho keys revoke', keys, ({ id, accountId, scopes }) =>
      [prefixOf(id), accountId, scopes.join(',')].join('  '),
    ),
    ...section('People, their passkeys and unused recovery codes', 'trilho people remove', people, person =>
      [
        person.id,
        person.role,
        person.accountId ?? 'every account',
        `${person.passkeys} passkeys`,
        `${person.recoveryCodes} codes`,
      ].join('  '),
    ),
    ...section(
      'Webhooks, which sign with the secrets of the backup',
      'POST /webhooks/{id}/rotate-secret',
      webhooks,
      ({ id, accountId }) => [id, accountId ?? 'every account'].join('  '),
      total,
    ),
    ...((await hasLinks(sql))
      ? [
          'Links to checkouts that were withdrawn since lead to their charges again (POST /charges/{id}/checkout/withdraw)',
        ]
      : []),
  ];
  if (lines.length === 0) return [];
  return [
    `Review what was revoked, removed, replaced or withdrawn after ${asOf.toISOString()}: it works again.`,
    ...lines,
  ];
}

function section<T>(
  title: string,
  way: string,
  all: readonly T[],
  lineOf: (one: T) => string,
  total = all.length,
): string[] {
  if (all.length === 0) return [];
  const more = total > MAX_SHOWN ? [`  … and ${total - MAX_SHOWN} more`] : [];
  return [`${title}: ${total} (${way})`, ...all.slice(0, MAX_SHOWN).map(one => `  ${lineOf(one)}`), ...more];
}
