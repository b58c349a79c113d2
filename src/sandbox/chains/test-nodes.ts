// Test nodes instead of simulated chains. A sandbox asks for no credentials, so it must not be able to move real crypto.
import type { ChainSettings } from '../../chains/chain-settings.ts';
import type { ChainFamily } from '../../chains/family.ts';
import { familyOf, NETWORK_FACTS } from '../../chains/networks.ts';
import { StartError } from '../../lib/errors.ts';

/** Throws a StartError unless each chain is a node of which its family shows that it is not the real network. */
export function requireTestNodes(chains: readonly ChainSettings[]): void {
  const faults = chains.flatMap((chain, index) => {
    const fault = faultOf(chain);
    return fault === undefined ? [] : [`chains[${index}]${fault}`];
  });
  if (faults.length > 0) throw new StartError(faults.join('\n'));
}

function faultOf(chain: ChainSettings): string | undefined {
  const { faultOfTestNode }: ChainFamily = familyOf(chain.network);
  if (faultOfTestNode) return faultOfTestNode(chain);
  return `: a sandbox sends on ${NETWORK_FACTS[chain.network].label} at its simulated chain only.`;
}
