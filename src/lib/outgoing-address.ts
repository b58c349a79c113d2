// Which addresses a request may go to when a user chose the URL: only public ones, so that a caller cannot use the
// service to reach its internal network (SSRF). A sandbox may also reach its own machine, and an operator may list private
// places.
// https://www.iana.org/assignments/iana-ipv4-special-registry https://www.iana.org/assignments/iana-ipv6-special-registry
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { AllowList, Target } from './outgoing-allow.ts';

const NOT_PUBLIC_V4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT; also the metadata service of a cloud
  '127.0.0.0/8',
  '168.63.129.16/32', // looks public, but is internal to a cloud
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
/** All public IPv6 addresses. Addresses that contain an IPv4 one (mapped, compatible, NAT64) lie outside. */
const GLOBAL_V6 = subnets('ipv6', ['2000::/3']);
const NOT_PUBLIC_V6 = subnets('ipv6', [
  '2001::/23', // protocols, Teredo among them
  '2001:db8::/32',
  '2002::/16', // 6to4
  '2620:4f:8000::/48',
  '3fff::/20',
]);
const LOOPBACK_V4 = subnets('ipv4', ['127.0.0.0/8']);

/** Ports of protocols whose servers could interpret the text of an HTTP request as commands. */
const REFUSED_PORTS = [22, 23, 25, 53, 110, 143, 465, 587, 993, 995];
/** Top-level names that do not exist in the public DNS. https://www.iana.org/assignments/special-use-domain-names */
const PRIVATE_NAMES = [
  ...['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'private'],
  ...['arpa', 'onion', 'test', 'invalid', 'alt'],
];
const MAX_URL_LENGTH = 2_048;

/** Whether a request may be sent to this address, given as an IP. */
export function isAddressAllowed(address: string, allowsLocal: boolean): boolean {
  if (allowsLocal && isLoopback(address)) return true;
  if (isIPv4(address)) return !NOT_PUBLIC_V4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return GLOBAL_V6.check(address, 'ipv6') && !NOT_PUBLIC_V6.check(address, 'ipv6');
}

function isLoopback(address: string): boolean {
  return isIPv4(address) ? LOOPBACK_V4.check(address, 'ipv4') : address === '::1';
}

/** The host of a URL as an IP or a name, without brackets and without a final dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Names of this machine, which are never resolved by DNS (RFC 6761). */
export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/** What may be reached in addition to public addresses by https. */
export type Reach = {
  /** This machine, and plain http. */
  readonly allowsLocal: boolean;
  /** Private places that an operator listed, also by plain http. */
  readonly allowed: AllowList;
};

/** Whether a request for this URL may go to this address of its host. Plain http only goes where it is explicitly allowed. */
export function mayReach(url: URL, address: string, { allowsLocal, allowed }: Reach): boolean {
  if (allowed.has(targetOf(url), address)) return true;
  return (url.protocol === 'https:' || allowsLocal) && isAddressAllowed(address, allowsLocal);
}

function targetOf(url: URL): Target {
  const usualPort = url.protocol === 'http:' ? 80 : 443;
  return { host: hostOf(url), port: url.port === '' ? usualPort : Number(url.port) };
}

/** Why a URL is refused, as the end of a sentence about it; undefined when it is allowed, before a DNS lookup. */
export function urlFault(text: string, reach: Reach): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  if (!URL.canParse(text) || /[\s\\]|\p{Cc}/u.test(text)) return 'must be a URL such as https://example.com/hooks';
  const url = new URL(text);
  const takesHttp = reach.allowsLocal || mayBeListed(url, reach);
  if (url.protocol !== 'https:' && !(takesHttp && url.protocol === 'http:')) return 'must begin with https://';
  if (authorityOf(text).includes('@')) return 'must not contain a user or a password';
  if (url.hash !== '') return 'must not have a fragment';
  if (REFUSED_PORTS.includes(Number(url.port))) return `must not use port ${url.port}`;
  return hostFault(text, url, reach);
}

/** Whether it may lead to a listed place; that depends on its addresses. */
function mayBeListed(url: URL, { allowed }: Reach): boolean {
  return allowed.hasNetworks || allowed.hasName(targetOf(url));
}

function hostFault(text: string, url: URL, reach: Reach): string | undefined {
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    // 2130706433, 0x7f.1 and 0177.0.0.1 are parsed as 127.0.0.1; such forms serve only to hide the address.
    if (isIPv4(host) && authorityOf(text).replace(/:\d*$/, '') !== host)
      return 'must write its address in plain numbers';
    return mayReach(url, host, reach) ? undefined : 'must not lead to an address that is not public';
  }
  if ((reach.allowsLocal && isLocalName(host)) || mayBeListed(url, reach)) return undefined;
  const labels = host.split('.');
  if (labels.length < 2 || PRIVATE_NAMES.includes(labels.at(-1)!)) return 'must have a public name';
  return undefined;
}

function authorityOf(text: string): string {
  return /^[a-z]+:\/*([^/?#]*)/i.exec(text)?.[1] ?? '';
}

function subnets(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
