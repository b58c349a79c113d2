// The SQL of account settings.
import type { Sql } from '../storage/database.ts';
import { type RowOf, recordOf } from '../storage/records.ts';
import type { LogoType } from './logo.ts';
import { type AccountSettings, NO_SETTINGS } from './settings.ts';

type Kept = Omit<AccountSettings, 'logo'>;
const KEPT = 'display_name, document, colour, return_url, support_url, frame_origins, offers_remainder';
const COLUMNS = `${KEPT}, logo, logo_type`;
type SettingsRow = RowOf<Kept> & { logo: Buffer | null; logo_type: LogoType | null };
const toKept = recordOf<Kept>(KEPT);

export async function findSettings(sql: Sql, accountId: string): Promise<AccountSettings> {
  const [row] = await sql.query<SettingsRow>(`select ${COLUMNS} from account_settings where account_id = $1`, [
    accountId,
  ]);
  if (!row) return NO_SETTINGS;
  return { ...toKept(row), ...(row.logo && row.logo_type && { logo: { type: row.logo_type, bytes: row.logo } }) };
}

/** Locks the account, so that changes of its settings are serialised; false when there is no such account. */
export async function lockAccount(tx: Sql, id: string): Promise<boolean> {
  const rows = await tx.query('select from accounts where id = $1 for update', [id]);
  return rows.length > 0;
}

export async function storeSettings(tx: Sql, accountId: string, settings: AccountSettings, at: Date): Promise<void> {
  const { displayName, document, colour, returnUrl, supportUrl, frameOrigins, logo, offersRemainder } = settings;
  await tx.query(
    `insert into account_settings (account_id, ${COLUMNS}, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (account_id) do update
        set (${COLUMNS}, updated_at) = (excluded.display_name, excluded.document, excluded.colour, excluded.return_url,
            excluded.support_url, excluded.frame_origins, excluded.offers_remainder, excluded.logo, excluded.logo_type,
            excluded.updated_at)`,
    [
      accountId,
      displayName ?? null,
      document ?? null,
      colour ?? null,
      returnUrl ?? null,
      supportUrl ?? null,
      frameOrigins,
      offersRemainder,
      logo?.bytes ?? null,
      logo?.type ?? null,
      at,
    ],
  );
}
