// Test nodes instead of simulated chains. A sandbox asks for no credentials, so it must not be able to move real crypto.
import type { ChainSettings } from '../../chains/chain-settings.ts';
import { EVM_NETWORKS } from '../../chains/evm/networks/list.ts';
import type { Family } from '../../chains/families.ts';
import { familyOf, NETWORK_FACTS } from '../../chains/networks.ts';
import { StartError } from '../../lib/errors.ts';

/** Throws a StartError unless each chain is a local EVM node with a chain id that no real network has. */
export function requireTestNodes(chains: readonly ChainSettings[]): void {
  const faults = chains.flatMap((chain, index) => {
    const fault = faultOf(chain);
    return fault === undefined ? [] : [`chains[${index}]${fault}`];
  });
  if (faults.length > 0) throw new StartError(faults.join('\n'));
}

/** Checks that the node of an entry is not a real network, for each family that can prove it. */
const FAULTS: { readonly [F in Family]?: (chain: ChainSettings) => string | undefined } = {
  evm: ({ test }) => {
    if (!test) return ' has no test: a sandbox sends on test nodes only, and live on real networks.';
    const isReal = 'chainId' in test && EVM_NETWORKS.some(({ chainId }) => chainId === test.chainId);
    return isReal ? '.test.chainId is that of a real network, on which a sandbox does not send.' : undefined;
  },
};

function faultOf(chain: ChainSettings): string | undefined {
  const faultIn = FAULTS[familyOf(chain.network).kind];
  if (faultIn) return faultIn(chain);
  return `: a sandbox sends on ${NETWORK_FACTS[chain.network].label} at its simulated chain only.`;
}
