// URLs of servers in the settings: encrypted, unless they are on this machine or in a private network.

export const NODE_URL_MESSAGE =
  'must be a URL with https (http only to this machine and private networks), without user and password';

/** A name without a dot, such as a container's, counts as private. */
const PRIVATE_HOST =
  /^(localhost|127(\.\d+){3}|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|\[::1\]|[a-z][a-z0-9-]*|.+\.internal)$/;

export function isNodeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && PRIVATE_HOST.test(hostname));
}
