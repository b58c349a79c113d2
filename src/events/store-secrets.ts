// The stored secrets of webhooks.
import type { SecretStore } from '../storage/sealed-secrets.ts';
import { newSecret } from './sign.ts';

/** The place that the secrets of a webhook are bound to. */
export function placeOf(webhookId: string): string {
  return `webhook ${webhookId}`;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export const WEBHOOK_SECRETS: SecretStore = {
  label: 'webhooks',
  placeOf,
  renew: newSecret,
  read: (sql, after, limit) =>
    sql.query<{ id: string; secrets: Buffer[] }>(
      'select id, secret || old_secrets as secrets from webhooks where id > $1 order by id limit $2',
      [after || FIRST_ID, limit],
    ),
  replace: async (tx, before, after) => {
    const rows = await tx.query(
      `update webhooks set secret = $2, old_secrets = $3::bytea[]
        where id = $1 and secret || old_secrets = $4::bytea[] returning id`,
      [before.id, after.secrets[0], after.secrets.slice(1), before.secrets],
    );
    return rows.length > 0;
  },
};
