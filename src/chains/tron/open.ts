// Opens Tron from its entry in the settings.
import { parseUnits } from '../../lib/decimals.ts';
import { faultsOfActive } from '../active-senders.ts';
import { type OpenDeps, type Opened, secretOf, senderOf, urlOf } from '../opening.ts';
import type { TronChainSettings } from './entry.ts';
import { tron } from './network.ts';
import type { TronSender } from './start-check.ts';
import { openTronChain } from './tron-chain.ts';

export async function openTron(entry: TronChainSettings, { clock, signers }: OpenDeps): Promise<Opened> {
  const faults: string[] = [];
  const [provider, ...providers] = entry.providers.map((given, index) => {
    const path = `providers[${index}]`;
    const apiKey =
      given.apiKeyFile === undefined ? given.apiKey : secretOf(given.apiKeyFile, `${path}.apiKeyFile`, faults);
    const { name, timeoutSeconds } = given;
    return {
      ...{ name, url: urlOf(given, path, faults) },
      ...(apiKey !== undefined && { apiKey }),
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    };
  });
  const [sender, ...others] = entry.senders.map((given, index): TronSender => {
    const { open, address } = senderOf(given, `senders[${index}]`, tron.id, signers, faults);
    if (!open) return { address };
    if (open.tron !== undefined && open.signer.kind === 'digest') {
      return { address: open.tron, signer: open.signer, isActive: given.active === true };
    }
    faults.push(`senders[${index}].signer is a remote one, which signs for EVM networks only`);
    return { address };
  });
  if (!provider || !sender || faults.length > 0) return { faults };
  const twice = faultsOfActive([sender, ...others]);
  if (twice.length > 0) return { faults: twice };
  const { window, maxFeeTrx, test } = entry;
  const feeCap = maxFeeTrx === undefined ? undefined : parseUnits(maxFeeTrx, tron.coin.decimals);
  const settings = {
    providers: [provider, ...providers],
    senders: [sender, ...others],
    ...(window !== undefined && { window }),
    ...(feeCap !== undefined && { feeCap }),
    ...(test && { test }),
  } as const;
  const { chain, start } = await openTronChain(settings, { clock });
  return start.faults.length > 0 ? start : { chain, warnings: start.warnings };
}
