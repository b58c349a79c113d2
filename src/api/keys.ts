// API keys and accounts on the wire.
import { type Static, Type } from 'typebox';
import { REACHES } from '../accounts/reach.ts';
import { ACCOUNT_SCOPES, SCOPES } from '../accounts/scopes.ts';
import { AccountId, DateTime, OneOf, Ref, Text } from './schemas.ts';

const KeyId = Type.String({ pattern: '^[0-9A-Za-z]{12}$', description: 'The id in the key, which is not secret.' });

export const KeyBody = Type.Object(
  {
    accountId: Text({ description: 'The account that the key acts for.' }),
    scopes: Type.Array(OneOf(SCOPES), {
      minItems: 1,
      uniqueItems: true,
      description: 'What it may do; only scopes of the caller.',
    }),
    reach: Type.Optional(
      OneOf(REACHES, {
        description:
          '`account`: only its account. `all_accounts`: also what concerns all accounts, as its scopes allow. When absent, its maker and its scopes decide.',
      }),
    ),
    name: Type.Optional(Text({ description: 'A label for people.' })),
    expiresAt: Type.Optional(
      DateTime({
        description:
          'It is refused from then on; when absent, it is valid until it is revoked, or as long as the key that makes it.',
      }),
    ),
  },
  {
    $id: 'NewKey',
    additionalProperties: false,
    examples: [{ accountId: 'acme', scopes: ['charges:read', 'charges:write'], name: 'shop' }],
  },
);

const keyFields = {
  id: KeyId,
  prefix: Type.String({ description: 'How the key begins.' }),
  accountId: Type.String(),
  name: Type.Optional(Type.String()),
  scopes: Type.Array(OneOf(SCOPES)),
  reach: OneOf(REACHES),
  createdAt: DateTime(),
  createdBy: Type.Optional(
    Type.String({ description: 'Who made it, as in the audit log; absent when that is unknown.' }),
  ),
  expiresAt: Type.Optional(DateTime()),
  revokedAt: Type.Optional(DateTime({ description: 'When it was revoked.' })),
  lastUsedAt: Type.Optional(DateTime({ description: 'To the minute.' })),
};

export const KeyView = Type.Object(keyFields, { $id: 'Key', additionalProperties: false });

export const KeyWithSecret = Type.Object(
  { ...keyFields, key: Type.String({ description: 'The complete key. It is shown only once.' }) },
  { $id: 'KeyWithSecret', additionalProperties: false },
);

export const KeysQuery = Type.Object(
  { accountId: Type.Optional(Text({ description: 'Only keys of this account.' })) },
  { additionalProperties: false },
);

export const KeyList = Type.Object({ keys: Type.Array(Ref(KeyView)) }, { $id: 'KeyList', additionalProperties: false });

export const KeyPath = { id: KeyId };

export const KEY_EXAMPLE: Static<typeof KeyView> = {
  id: '4fQ2mXw09aBc',
  prefix: 'trilho_live_4fQ2mXw09aBc',
  accountId: 'acme',
  name: 'shop',
  scopes: [...ACCOUNT_SCOPES],
  reach: 'account',
  createdAt: '2026-11-12T14:00:00.000Z',
  createdBy: 'operator',
};

export const KEY_SECRET_EXAMPLE: Static<typeof KeyWithSecret> = {
  ...KEY_EXAMPLE,
  key: `trilho_live_4fQ2mXw09aBc_${'0'.repeat(49)}`,
};

export const AccountBody = Type.Object(
  { id: AccountId({ description: 'Your own name for it; it cannot be changed.' }) },
  { $id: 'NewAccount', additionalProperties: false, examples: [{ id: 'acme' }] },
);

export const AccountEntry = Type.Object(
  { id: Type.String(), createdAt: DateTime() },
  { $id: 'AccountEntry', additionalProperties: false },
);

export const AccountList = Type.Object(
  { accounts: Type.Array(Ref(AccountEntry)) },
  { $id: 'AccountList', additionalProperties: false },
);

export const ACCOUNT_EXAMPLE: Static<typeof AccountEntry> = { id: 'acme', createdAt: '2026-11-12T14:00:00.000Z' };

export const KEY_SCHEMAS = [KeyBody, KeyView, KeyWithSecret, KeyList, AccountBody, AccountEntry, AccountList];
