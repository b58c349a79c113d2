// Sweeps the surplus of a sender to the cold address of its network.
import type { AssetSymbol, Network } from '../../chains/asset.ts';
import type { Funds } from '../../chains/chain.ts';
import { decimalsOf } from '../../chains/networks.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import { formatUnits, parseUnits } from '../../lib/decimals.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { chainOf } from '../line/open.ts';
import type { Payout } from '../payout.ts';
import { limitsOf, type PayoutLimits } from '../policy/limits.ts';
import { findOpenSweep } from '../store/cold-sweeps.ts';
import type { ColdAddresses } from './cold-rules.ts';
import { type OperatorDeps, openOwnTransfer } from './open-own-transfer.ts';

export type ColdSweepDeps = OperatorDeps & {
  readonly coldAddresses: ColdAddresses;
  readonly payoutLimits: PayoutLimits;
};

type NewColdSweep = {
  readonly network: Network;
  readonly symbol: AssetSymbol;
  /** Decimal text, or `all` that can be spared. Absent: what exceeds the ceiling. */
  readonly quantity?: string;
  /** As the audit log writes actors. */
  readonly by: string;
};

/**
 * Opens the payout; the service sends it. Refuses more than can be spared, a second sweep of an asset while one is on its way, a sender
 * that is halted or has no free slot, and a transfer that would fail. A pause does not stop it.
 */
export async function sweepToCold(deps: ColdSweepDeps, sweep: NewColdSweep): Promise<Payout> {
  const { network, symbol } = sweep;
  chainOf(deps.chains, network);
  const destination = deps.coldAddresses[network];
  if (destination === undefined) {
    throw new AppError('not_configured', `payouts.coldAddresses has no address on ${network}.`);
  }
  return openOwnTransfer(deps, {
    accountId: deps.operatorAccountId,
    ...{ network, symbol, destination, sweptBy: sweep.by },
    unitsOf: (funds, spare) => unitsOf(deps, sweep, funds, spare),
    judge: async tx => {
      const other = await findOpenSweep(tx, network, symbol);
      if (other === undefined) return;
      throw new AppError('wrong_state', `A sweep of ${symbol} on ${network} is on its way: ${other}.`);
    },
    opened: async (_, { id }) => setAuditObject(id),
  });
}

function unitsOf(
  { payoutLimits }: ColdSweepDeps,
  { network, symbol, quantity }: NewColdSweep,
  funds: Funds,
  spare: bigint,
): bigint {
  const decimals = decimalsOf(symbol, network);
  const { ceiling } = limitsOf(payoutLimits, { symbol, network });
  const amount = (units: bigint) => `${formatUnits(units, decimals)} ${symbol}`;
  if (quantity === undefined && ceiling === undefined) {
    throw faultOf('missing', `is needed: ${symbol} on ${network} has no ceiling`);
  }
  const asked = quantity === undefined || quantity === 'all' ? undefined : parseUnits(quantity, decimals);
  if (quantity !== undefined && quantity !== 'all' && (asked === undefined || asked <= 0n)) {
    throw faultOf('invalid', `must be a decimal above zero with at most ${decimals} decimals, or all`);
  }
  const above = ceiling === undefined ? spare : min(spare, funds.asset - ceiling);
  const units = asked ?? (quantity === 'all' ? spare : above);
  if (units > spare || units <= 0n) {
    const rest = spare > 0n ? `${amount(spare)} can be spared` : 'nothing can be spared';
    throw new AppError('wrong_state', `The sender has ${amount(funds.asset)}; after payouts and fees, ${rest}.`);
  }
  return units;
}

function faultOf(code: string, message: string): AppError {
  return invalidRequest([{ path: 'quantity', code, message }]);
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);
