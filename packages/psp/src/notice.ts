// The call of a webhook: its body and its path.

/** The subject of a call; it is the name of the list in the body. */
export type Notice =
  | { readonly pix: readonly object[] }
  | { readonly recs: readonly object[] }
  | { readonly cobsr: readonly object[] };

/** What follows the registered URL, by the list. */
const PATHS = { pix: '/pix', recs: '/rec', cobsr: '/cobr' } as const;

export type WebhookCall = {
  readonly url: string;
  readonly endToEndIds: readonly string[];
  readonly body: string;
};

export function callOf(url: string, notice: Notice): WebhookCall {
  const [name] = Object.keys(PATHS).filter(known => known in notice) as (keyof typeof PATHS)[];
  if (!name) throw new RangeError('Give pix, recs or cobsr.');
  const items = Object.values<readonly object[]>(notice).flat();
  return {
    url: url.replace(/\/$/, '') + PATHS[name],
    endToEndIds: items.flatMap(one => ('endToEndId' in one ? String(one.endToEndId) : [])),
    body: JSON.stringify(notice),
  };
}
