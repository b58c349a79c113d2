// Erases personal data from events. An event keeps its position, its time and its amounts.
import type { Sql } from '../storage/database.ts';

/** Replaces the customer in the events of these objects, and removes callers' texts. Returns how many changed. */
export async function eraseFromEvents(tx: Sql, objectIds: readonly string[], customer: object): Promise<number> {
  const rows = await tx.query(
    `update events set object = jsonb_set(object - 'description' - 'metadata', '{customer}', $2::jsonb)
      where object_id = any($1) and object ? 'customer' returning id`,
    [objectIds, JSON.stringify(customer)],
  );
  return rows.length;
}

/** Puts `fields` into every event of this object, and removes those that are named. */
export async function eraseFromObjects(
  tx: Sql,
  objectId: string,
  removed: readonly string[],
  fields: object,
): Promise<void> {
  await tx.query('update events set object = (object - $2::text[]) || $3::jsonb where object_id = $1', [
    objectId,
    removed,
    JSON.stringify(fields),
  ]);
}

/** Answers of receivers may repeat what they were sent, so their text is removed; status and time stay. */
export async function eraseWebhookAnswers(tx: Sql, objectIds: readonly string[]): Promise<void> {
  await tx.query(
    `update webhook_attempts a set answer = null
       from webhook_deliveries d
      where d.object_id = any($1) and a.delivery_id = d.id and a.account_id = d.account_id and a.answer is not null`,
    [objectIds],
  );
}

/** The events of an object, oldest first. */
export async function readEventsOf(sql: Sql, objectId: string) {
  return sql.query<{ id: string; type: string; occurred_at: Date; object: object }>(
    'select id, type, occurred_at, object from events where object_id = $1 order by sequence',
    [objectId],
  );
}
