// Fees of type 2 transactions (EIP-1559). Pure. A bid lies between what nodes take and the cap, and beats every bid before it
// by an eighth: pools replace a transaction only if both of its fees rise by a tenth.

/** Wei per unit of gas. */
export type Bid = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** What the network charges now. */
export type FeeLevel = { readonly baseFee: bigint; readonly tip: bigint };

export type FeeLimits = { readonly minTip: bigint; readonly maxFee: bigint };

export const FEE_ABOVE_CAP = 'fee above the cap';

/** The next bid; undefined when it would be above the cap. */
export function nextBid(level: FeeLevel, { minTip, maxFee }: FeeLimits, before: readonly Bid[]): Bid | undefined {
  const tipToBeat = most(before.map(bid => raised(bid.maxPriorityFeePerGas)));
  const feeToBeat = most(before.map(bid => raised(bid.maxFeePerGas)));
  const tip = most([level.tip, minTip, tipToBeat]);
  // Below base fee and tip the transaction would wait from the start.
  const least = most([level.baseFee + tip, feeToBeat]);
  if (least > maxFee) return undefined;
  // Twice the base fee lasts for at least six full blocks, as each raises it by an eighth at most.
  const wanted = most([2n * level.baseFee + tip, feeToBeat]);
  return { maxFeePerGas: wanted < maxFee ? wanted : maxFee, maxPriorityFeePerGas: tip };
}

/** An eighth more, rounded up, and at least one wei. */
function raised(fee: bigint): bigint {
  return fee + (fee === 0n ? 1n : (fee + 7n) / 8n);
}

function most(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a > b ? a : b), 0n);
}
