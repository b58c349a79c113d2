// Opens an EVM network from its entry in the settings.
import { parseUnits } from '../../lib/decimals.ts';
import { faultsOfActive } from '../active-senders.ts';
import { type OpenDeps, type Opened, senderOf, urlOf } from '../opening.ts';
import type { EvmChainSettings } from './entry.ts';
import { openEvmChain } from './evm-chain.ts';
import type { EvmSender, EvmSettings } from './settings.ts';

const GWEI_DECIMALS = 9;

export async function openEvm(entry: EvmChainSettings, { clock, signers }: OpenDeps): Promise<Opened> {
  const { network, test } = entry;
  const faults: string[] = [];
  const providers = entry.providers.map((provider, index) => {
    const { url: _, urlFile: __, ...rest } = provider;
    return { ...rest, url: urlOf(provider, `providers[${index}]`, faults) };
  });
  const [first, ...others] = entry.senders.map((sender, index): EvmSender => {
    const { open, address } = senderOf(sender, `senders[${index}]`, network, signers, faults);
    if (!open) return { address };
    if (open.evm !== undefined) {
      return { address: open.evm, signer: open.signer, isActive: sender.active === true };
    }
    faults.push(`senders[${index}].signer is one that does not sign for EVM networks`);
    return { address };
  });
  if (!first || faults.length > 0) return { faults };
  const twice = faultsOfActive([first, ...others]);
  if (twice.length > 0) return { faults: twice };
  const settings = {
    ...limitsOf(entry),
    network,
    providers,
    senders: [first, ...others],
    ...(test && { test }),
  } as const;
  const { chain, start } = await openEvmChain(settings, { clock });
  return start.faults.length > 0 ? start : { chain, warnings: start.warnings };
}

function limitsOf({
  depth,
  window,
  maxAttempts,
  maxFeeGwei,
  minTipGwei,
  maxGas,
}: EvmChainSettings): Partial<EvmSettings> {
  const maxFee = maxFeeGwei === undefined ? undefined : parseUnits(maxFeeGwei, GWEI_DECIMALS);
  const minTip = minTipGwei === undefined ? undefined : parseUnits(minTipGwei, GWEI_DECIMALS);
  return {
    ...(depth !== undefined && { depth }),
    ...(window !== undefined && { window }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(maxFee !== undefined && { maxFee }),
    ...(minTip !== undefined && { minTip }),
    ...(maxGas !== undefined && { maxGas: BigInt(maxGas) }),
  };
}
