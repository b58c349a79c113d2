// The settings of any rail: its name, and whose charges it gets.
import { Type } from 'typebox';
import { check, textAt } from './bank-client/entry-fields.ts';

/** Names of rails without an entry. */
const TAKEN_NAMES = ['sandbox', 'pix-key', 'absent'];
const RAIL_NAME_MESSAGE = `must be a name such as efi or efi:main, and none of ${TAKEN_NAMES.join(', ')}`;
const MAX_ACCOUNTS = 1_000;

export const NAME_FIELD = { name: Type.String(check(isRailName, RAIL_NAME_MESSAGE)) };

export const SHARE_FIELDS = {
  accounts: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_ACCOUNTS })),
  former: Type.Optional(Type.Literal(true)),
};

function isRailName(text: string): boolean {
  return /^[a-z0-9]{1,40}(:[a-z0-9-]{1,40})?$/.test(text) && !TAKEN_NAMES.includes(text);
}

export function hasDistinctNames(entries: unknown): boolean {
  const names = Array.isArray(entries) ? entries.flatMap(entry => textAt(entry, 'name') ?? []) : [];
  return new Set(names).size === names.length;
}
