// The settings of rails: the static key, the lists of entries, and where banks report payments.
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';
import { agreementSettings } from './agreement-entry.ts';
import { railSettings } from './entries.ts';
import { RAIL_KINDS } from './kinds.ts';
import { brCodeText, type PixKeyValue, pixKey } from './pix-key.ts';
import { receiverSettings } from './receiver-entry.ts';

const NO_REAL_KEY = 'a sandbox takes no real pix key';

export const RAIL_SETTINGS = [
  {
    name: 'TRILHO_PIX_KEY',
    kind: pixKey,
    mode: 'live',
    refusal: NO_REAL_KEY,
    // May be a person's document.
    isSecret: true,
    group: 'static pix key',
    meaning: 'The static pix key that charges are paid to.',
  },
  {
    name: 'TRILHO_PIX_NAME',
    kind: brCodeText,
    mode: 'live',
    refusal: NO_REAL_KEY,
    group: 'static pix key',
    meaning: 'Name of the receiver as payers see it; its first 25 characters are used.',
  },
  {
    name: 'TRILHO_PIX_CITY',
    kind: brCodeText,
    mode: 'live',
    refusal: NO_REAL_KEY,
    group: 'static pix key',
    meaning: 'City of the receiver; its first 15 characters are used.',
  },
  {
    name: 'TRILHO_RAILS',
    kind: railSettings(RAIL_KINDS),
    mode: 'live',
    refusal: 'a sandbox has a simulated bank and takes no real one',
    // An entry may hold a secret.
    isSecret: true,
    inFile: 'rails',
    meaning: 'Banks and PSPs that charges are registered at.',
  },
  {
    name: 'TRILHO_BOLETOS',
    kind: agreementSettings,
    // An entry has the holder's document.
    isSecret: true,
    inFile: 'boletos',
    meaning:
      'Agreements with banks that register boletos, from files or by their APIs; a sandbox takes those with `test` only.',
  },
  {
    name: 'TRILHO_RECEIVER',
    kind: receiverSettings,
    mode: 'live',
    refusal: 'the bank of a sandbox sends no notifications',
    inFile: 'receiver',
    meaning: 'Port, certificate or proxy of the server to which banks send notifications of payments.',
  },
] as const satisfies readonly Setting[];

type Values = ValuesOf<typeof RAIL_SETTINGS>;

type PixKey = PixKeyValue & { readonly receiverName: string; readonly receiverCity: string };

export type RailSettings = Readonly<ReturnType<typeof railSettingsOf>>;

export function railSettingsOf(values: Values) {
  const key = pixKeyOf(values);
  const { TRILHO_RECEIVER: receiver } = values;
  return {
    /** The static key that live charges are paid to. */
    ...(key && { pixKey: key }),
    /** In the order in which they are preferred, as `boletos`. */
    rails: values.TRILHO_RAILS ?? [],
    boletos: values.TRILHO_BOLETOS ?? [],
    /** Absent: banks are only asked. */
    ...(receiver && { receiver }),
  };
}

function pixKeyOf(values: Values): PixKey | undefined {
  const { TRILHO_PIX_KEY: key, TRILHO_PIX_NAME: receiverName, TRILHO_PIX_CITY: receiverCity } = values;
  if (key === undefined || receiverName === undefined || receiverCity === undefined) return undefined;
  return { ...key, receiverName, receiverCity };
}
