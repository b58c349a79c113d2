// Hashes and addresses of a network, with a link to an explorer. The chains of a sandbox are simulated or run on a local node, which
// no explorer knows.
import { NETWORKS } from '../../chains/asset.ts';
import { explorerPage, isTransactionHash } from '../../chains/networks.ts';
import { type Html, html } from '../html.ts';
import { shortId } from './parts.ts';
import type { ShellDeps } from './shell.ts';

type Deps = Pick<ShellDeps, 'mode'>;

/** The whole address. */
export function wholeAddress(deps: Deps, network: string, address: string): Html {
  return linked(addressPage(deps, network, address), html`<code class="long">${address}</code>`);
}

/** Its start and its end; the full text is in the title. */
export function shortAddress(deps: Deps, network: string, address: string): Html {
  return linked(addressPage(deps, network, address), html`<code title="${address}">${shortId(address)}</code>`);
}

export function wholeHash({ mode }: Deps, network: string, hash: string): Html {
  const known = networkNamed(network);
  const page =
    mode === 'live' && known && isTransactionHash(known, hash) ? explorerPage(known, 'transaction', hash) : undefined;
  return linked(page, html`<code class="long">${hash}</code>`);
}

function addressPage({ mode }: Deps, network: string, address: string): string | undefined {
  const known = networkNamed(network);
  return mode === 'live' && known ? explorerPage(known, 'address', address) : undefined;
}

const networkNamed = (name: string) => NETWORKS.find(one => one === name);

/** The explorer gets neither a referrer nor a handle on our page. */
function linked(page: string | undefined, shown: Html): Html {
  if (page === undefined) return shown;
  return html`<a class="outside" href="${page}" target="_blank" rel="noopener noreferrer">${shown}<span class="visually-hidden"> (explorer, new tab)</span></a>`;
}
