// Test nodes in place of simulated chains. A sandbox asks for no credentials, so it must not be able to move real crypto.
import { EVM_FACTS } from '../../chains/evm/networks.ts';
import type { ChainSettings } from '../../config/chain-settings.ts';
import { StartError } from '../../lib/errors.ts';

/** Throws a StartError unless each chain is a local EVM node with a chain id that no real network has. */
export function requireTestNodes(chains: readonly ChainSettings[]): void {
  const faults = chains.flatMap((chain, index) => {
    const fault = faultOf(chain);
    return fault === undefined ? [] : [`chains[${index}]${fault}`];
  });
  if (faults.length > 0) throw new StartError(faults.join('\n'));
}

function faultOf(chain: ChainSettings): string | undefined {
  if (chain.network === 'tron') return ': a sandbox sends on Tron at its simulated chain only.';
  if (!chain.test) return ' has no test: a sandbox sends on test nodes only, and live on real networks.';
  const real = Object.values(EVM_FACTS).some(({ chainId }) => chainId === chain.test?.chainId);
  return real ? '.test.chainId is that of a real network, on which a sandbox does not send.' : undefined;
}
