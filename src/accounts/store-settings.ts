// The SQL of account settings.
import type { Sql } from '../storage/database.ts';
import type { LogoType } from './logo.ts';
import { type AccountSettings, NO_SETTINGS } from './settings.ts';

type SettingsRow = {
  display_name: string | null;
  document: string | null;
  colour: string | null;
  return_url: string | null;
  support_url: string | null;
  frame_origins: string[];
  offers_remainder: boolean;
  logo: Buffer | null;
  logo_type: LogoType | null;
};

const COLUMNS =
  'display_name, document, colour, return_url, support_url, frame_origins, logo, logo_type, offers_remainder';

export async function findSettings(sql: Sql, accountId: string): Promise<AccountSettings> {
  const [row] = await sql.query<SettingsRow>(`select ${COLUMNS} from account_settings where account_id = $1`, [
    accountId,
  ]);
  return row ? toSettings(row) : NO_SETTINGS;
}

/** Locks the account, so that changes of its settings come one after the other; false when there is none. */
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
            excluded.support_url, excluded.frame_origins, excluded.logo, excluded.logo_type, excluded.offers_remainder,
            excluded.updated_at)`,
    [
      accountId,
      displayName ?? null,
      document ?? null,
      colour ?? null,
      returnUrl ?? null,
      supportUrl ?? null,
      frameOrigins,
      logo?.bytes ?? null,
      logo?.type ?? null,
      offersRemainder,
      at,
    ],
  );
}

function toSettings(row: SettingsRow): AccountSettings {
  return {
    ...(row.display_name !== null && { displayName: row.display_name }),
    ...(row.document !== null && { document: row.document }),
    ...(row.colour !== null && { colour: row.colour }),
    ...(row.return_url !== null && { returnUrl: row.return_url }),
    ...(row.support_url !== null && { supportUrl: row.support_url }),
    frameOrigins: row.frame_origins,
    offersRemainder: row.offers_remainder,
    ...(row.logo && row.logo_type && { logo: { type: row.logo_type, bytes: row.logo } }),
  };
}
