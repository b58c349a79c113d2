// What several providers say together. Pure. Where money depends on it, two must agree; if only one is configured, one has to be enough.
import type { TransactionReceipt } from './read.ts';
import type { View } from './watch.ts';

/** How many providers must agree on what cannot be undone. */
export function quorumOf(providers: number): number {
  return Math.min(2, providers);
}

/** What a provider reports about the attempts at a slot. */
export type Report =
  | { readonly kind: 'receipt'; readonly view: View; readonly receipt: TransactionReceipt }
  /** The slot is used, and no attempt has a receipt. */
  | { readonly kind: 'foreign'; readonly view: View }
  | { readonly kind: 'unused'; readonly view: View }
  /** It shows a receipt of a block that it does not have yet, or it does not answer. */
  | { readonly kind: 'unclear'; readonly view: View };

export type MinedReport = Extract<Report, { readonly kind: 'receipt' }>;

/**
 * The receipts that agree, of the providers that say the same; `disagreement` when one says otherwise and no quorum decides;
 * undefined when there is no receipt.
 */
export function agreedReceipts(
  reports: readonly Report[],
  quorum: number,
): readonly [MinedReport, ...MinedReport[]] | 'disagreement' | undefined {
  const mined = reports.filter(report => report.kind === 'receipt');
  const groups = [...Map.groupBy(mined, ({ receipt }) => keyOf(receipt)).values()];
  const [group = [], next = []] = groups.sort((a, b) => b.length - a.length);
  const [first, ...others] = group;
  if (!first) return undefined;
  if (next.length === group.length) return 'disagreement';
  const { blockNumber } = first.receipt;
  // A provider whose head is below the block lags and says nothing against it.
  const against = reports.filter(
    report => report.kind !== 'unclear' && report.view.head.number >= blockNumber && !group.some(one => one === report),
  );
  return group.length < quorum && against.length > 0 ? 'disagreement' : [first, ...others];
}

/** Everything that is recorded of it: the fee goes into the books as well. */
function keyOf({ transactionHash, blockHash, blockNumber, isSuccess, feeUnits, logs }: TransactionReceipt): string {
  return JSON.stringify([transactionHash, blockHash, String(blockNumber), isSuccess, String(feeUnits), logs]);
}

/** From the block to the head, both included, as the provider that is furthest behind sees it. */
export function confirmationsOf(reports: readonly MinedReport[]): number {
  const depths = reports.map(({ view, receipt }) => Number(view.head.number - receipt.blockNumber) + 1);
  return Math.min(...depths);
}

/** Whether a quorum calls the block final. A tag that stands still, or says block 0, never reaches a block of ours. */
export function isFinal(reports: readonly MinedReport[], quorum: number): boolean {
  const calling = reports.filter(({ view, receipt }) => view.final && view.final.number >= receipt.blockNumber);
  return calling.length >= quorum;
}
