// The settings of the HTTP server: its address, its public URL, and its limits.
import { isIP } from 'node:net';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../lib/paging.ts';
import { kindOf, text, wholeNumber } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

const MAX_LIMIT = 1_000_000;
const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** The public URL: passkeys and links need one name. Plain http is for the local machine or network. */
const publicUrl = kindOf('a URL with https or http and without path, user and password', given => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isPlain =
    url && url.pathname === '/' && url.search === '' && url.hash === '' && url.username + url.password === '';
  return isPlain && /^https?:$/.test(url.protocol) ? url.origin : undefined;
});

/** IP addresses, each with an optional prefix length. */
const addressRanges = kindOf(
  'a list of IP addresses or networks such as 10.0.0.5,192.168.0.0/16,fd00::/8',
  (given): readonly string[] | undefined => {
    const ranges = given.split(',').map(range => range.trim());
    return ranges.every(isAddressRange) ? ranges : undefined;
  },
);

function isAddressRange(range: string): boolean {
  const [address = '', prefix, ...others] = range.split('/');
  const bits = ADDRESS_BITS[isIP(address)];
  if (bits === undefined || others.length > 0 || address.includes('%')) return false;
  // A prefix of 0 would trust everybody.
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
}

export const HTTP_SETTINGS = [
  {
    name: 'PORT',
    kind: wholeNumber(0, 65_535),
    default: '3000',
    meaning: 'Port to listen on; 0 takes any free one.',
  },
  {
    name: 'HOST',
    kind: text('a host name or an address of this machine'),
    default: '127.0.0.1',
    meaning: 'Address to listen on; 0.0.0.0 lets other machines in.',
  },
  {
    name: 'TRILHO_PUBLIC_URL',
    kind: publicUrl,
    meaning:
      'The public URL of the service, such as https://pay.example.com, for links to checkouts, passkeys and cookies. Not set: http://localhost with the port.',
  },
  {
    name: 'TRILHO_PAGE_SIZE',
    kind: wholeNumber(1, MAX_PAGE_SIZE),
    default: String(DEFAULT_PAGE_SIZE),
    meaning: 'Rows on a page of a list by default.',
  },
  {
    name: 'TRILHO_RATE_LIMIT',
    kind: wholeNumber(0, MAX_LIMIT),
    default: { sandbox: '0', live: '100' },
    meaning:
      'Requests per second of one API key (in a sandbox: of one address), counted by each node separately; 0 for no limit.',
  },
  {
    name: 'TRILHO_ADDRESS_LIMIT',
    kind: wholeNumber(0, MAX_LIMIT),
    default: '50',
    mode: 'live',
    meaning:
      'Requests per second from one address without a valid API key: public pages, unknown paths, failed authentication; 0 for no limit.',
  },
  {
    name: 'TRILHO_TRUST_PROXY',
    kind: addressRanges,
    meaning: 'Reverse proxies whose X-Forwarded-For is trusted. Not set: the address of the connection is used.',
  },
  {
    name: 'TRILHO_MAX_IN_FLIGHT',
    kind: wholeNumber(0, MAX_LIMIT),
    default: { sandbox: '0', live: '1000' },
    meaning: 'Requests that each node answers at a time; 0 for no limit.',
  },
] as const satisfies readonly Setting[];

export type HttpSettings = Readonly<ReturnType<typeof httpSettingsOf>>;

export function httpSettingsOf(values: ValuesOf<typeof HTTP_SETTINGS>) {
  const { TRILHO_PUBLIC_URL } = values;
  return {
    port: values.PORT,
    host: values.HOST,
    /** The origin; when absent, localhost with the port. */
    ...(TRILHO_PUBLIC_URL !== undefined && { publicUrl: TRILHO_PUBLIC_URL }),
    pageSize: values.TRILHO_PAGE_SIZE,
    rateLimit: values.TRILHO_RATE_LIMIT,
    addressLimit: values.TRILHO_ADDRESS_LIMIT,
    trustProxy: values.TRILHO_TRUST_PROXY ?? [],
    maxInFlight: values.TRILHO_MAX_IN_FLIGHT,
  };
}
