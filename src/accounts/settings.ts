// What payers see of an account: its name, colour and logo, and the links of its checkout.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import type { Fault } from '../lib/errors.ts';
import { contrast } from './colours.ts';
import { type Logo, readLogo } from './logo.ts';

export type AccountSettings = {
  readonly displayName?: string;
  /** A CPF or CNPJ without punctuation, in upper case. */
  readonly document?: string;
  /** `#rrggbb`, in lower case. */
  readonly colour?: string;
  readonly returnUrl?: string;
  readonly supportUrl?: string;
  /** Origins that may show a checkout in a frame. */
  readonly frameOrigins: readonly string[];
  readonly logo?: Logo;
  /** Whether the checkout of a partially paid charge offers to pay the rest. */
  readonly offersRemainder: boolean;
};

export const NO_SETTINGS: AccountSettings = { frameOrigins: [], offersRemainder: false };

type Kept = 'frameOrigins' | 'offersRemainder';
/** A change as a caller sends it: null removes a value, what is absent stays. A logo is a `data:` URL of a PNG, JPEG or WebP. */
export type SettingsChange = Partial<Pick<AccountSettings, Kept>> & {
  readonly [Field in Exclude<keyof AccountSettings, Kept>]?: string | null;
};

/** WCAG 2.2, 1.4.11: a button must stand out from the white card that it is on. */
const LEAST_CONTRAST = 3;
const WHITE = '#ffffff';

/** The settings after a change, and all of its faults. */
export function changeSettings(
  before: AccountSettings,
  change: SettingsChange,
): { readonly after: AccountSettings; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const fault = (path: string, code: string, message: string) => {
    faults.push({ path, code, message });
    return undefined;
  };
  const next = <T>(path: keyof SettingsChange, old: T | undefined, read: (text: string) => T | undefined) => {
    const given = change[path];
    if (given === undefined) return old;
    return typeof given === 'string' ? read(given) : undefined;
  };
  const or = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  const link = (path: 'returnUrl' | 'supportUrl', also: readonly string[] = []) =>
    next(path, before[path], text =>
      isLink(text, also) ? text : fault(path, 'bad_url', `must be a URL with ${or.format(['https:', ...also])}`),
    );
  const displayName = next('displayName', before.displayName, text =>
    isReadable(text)
      ? text.trim()
      : fault('displayName', 'bad_name', 'must have a letter or digit, and no invisible character'),
  );
  const document = next('document', before.document, text => {
    const plain = text.replace(/[.\-/\s]/g, '').toUpperCase();
    const isGood = plain.length === 11 ? isValidCpf(plain) : isValidCnpj(plain, { version: 2 });
    return isGood ? plain : fault('document', 'bad_document', 'must be a CPF or CNPJ with right check digits');
  });
  const colour = next('colour', before.colour, text => {
    const plain = text.toLowerCase();
    const ratio = contrast(plain, WHITE);
    if (ratio >= LEAST_CONTRAST) return plain;
    const found = ratio.toFixed(1);
    return fault(
      'colour',
      'low_contrast',
      `must have a contrast to white of at least ${LEAST_CONTRAST} to 1, not ${found}`,
    );
  });
  const returnUrl = link('returnUrl');
  const supportUrl = link('supportUrl', ['mailto:', 'tel:']);
  const frameOrigins = change.frameOrigins ?? before.frameOrigins;
  for (const [index, origin] of (change.frameOrigins ?? []).entries()) {
    if (!isOrigin(origin)) {
      fault(`frameOrigins[${index}]`, 'bad_origin', 'must be an origin such as https://shop.example.com');
    }
  }
  const logo = next('logo', before.logo, text => {
    const read = readLogo(text);
    return 'wrong' in read ? fault('logo', 'bad_logo', read.wrong) : read.logo;
  });
  const after = {
    ...(displayName !== undefined && { displayName }),
    ...(document !== undefined && { document }),
    ...(colour !== undefined && { colour }),
    ...(returnUrl !== undefined && { returnUrl }),
    ...(supportUrl !== undefined && { supportUrl }),
    frameOrigins,
    offersRemainder: change.offersRemainder ?? before.offersRemainder,
    ...(logo && { logo }),
  };
  return { after, faults };
}

function isLink(text: string, also: readonly string[]): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username !== '' || url.password !== '') return false;
  if (!also.includes(url.protocol)) return url.protocol === 'https:' || isLocal(url);
  return REACHES.some(pattern => pattern.test(`${url.protocol}${url.pathname}`));
}

/** A contact link that does not reach the account is worse than no link. */
const REACHES = [/^mailto:[^\s@,;]+@[^\s@,;]+$/, /^tel:\+?(?:[-().\s]|%20)*\d(?:[-().\s\d]|%20)+$/];

/** A page on the local machine, while a shop is being built. */
function isLocal({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(localhost|127(\.\d+){3})$/.test(hostname);
}

/** Characters that change the direction of a text, or are invisible, could disguise a name. U+200D joins emoji. */
function isReadable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text) && !/[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200d)\p{Cf}/u.test(text);
}

/** A host for a policy: a URL could have a wildcard, a quote or a semicolon there. */
const HOST = /^[a-z\d-]+(\.[a-z\d-]+)*$/;

/** Written into a header, so only origins are allowed. */
function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined && url.origin === text && HOST.test(url.hostname) && (url.protocol === 'https:' || isLocal(url))
  );
}
