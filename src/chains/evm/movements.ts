// Whether the balances moved as the logs of a block say. A log is what a contract writes about itself: a contract that writes one and moves
// nothing has not paid. A receipt alone is not enough either: a node can report status 0 for a transfer that was executed.
import type { Transfer } from '../chain.ts';
import { balanceOfData, TRANSFER_TOPIC, tokenTransfers } from './contracts.ts';
import type { Provider, Reply } from './provider.ts';
import { readTransferLogs, readWord, type TransactionReceipt, type TransferLog } from './read.ts';
import { sharedAnswers } from './shared.ts';
import type { View } from './watch.ts';

type Movement =
  | { readonly kind: 'fits' }
  /** `leftUnits`: what left the sender for this transfer, by its balance. */
  | { readonly kind: 'differs'; readonly leftUnits: bigint }
  /** Nodes do not keep what would prove it, now or later. */
  | { readonly kind: 'not_kept' }
  /** No answer. */
  | { readonly kind: 'unknown' };

type AskedMovement = {
  readonly transfer: Transfer;
  readonly token: string;
  readonly receipt: TransactionReceipt;
  /** Providers that agree on the receipt. */
  readonly views: readonly View[];
};

export type Movements = {
  /** For a transfer that a receipt shows as successful. One provider with matching balances suffices. */
  ofSuccess(asked: AskedMovement): Promise<Movement>;
  /** For one that a receipt shows as failed: `differs` as soon as one provider shows that something moved. */
  ofFailure(asked: AskedMovement): Promise<Movement>;
};

/** Every node keeps the state of the last 128 blocks. Some refuse whole requests that ask for an older one. */
const STATE_BLOCKS = 100n;
/** Answers about a block serve the lookups of the same moment. */
const SHARED_MS = 1_000;
const MAX_JUDGED = 10_000;

export function watchMovements(monotonicMs: () => number): Movements {
  // Transfers in one block ask for the same logs, and for the same balances of their sender.
  const shared = sharedAnswers<Reply<bigint>>(SHARED_MS, monotonicMs);
  const sharedLogs = sharedAnswers<Reply<TransferLog[]>>(SHARED_MS, monotonicMs);
  const judged = new Set<string>();

  /** A result for a transaction in a block is final. */
  async function once({ receipt }: AskedMovement, judge: () => Promise<Movement>): Promise<Movement> {
    const key = `${receipt.transactionHash} ${receipt.blockHash} ${receipt.isSuccess}`;
    if (judged.has(key)) return { kind: 'fits' };
    const movement = await judge();
    if (movement.kind !== 'fits' && movement.kind !== 'not_kept') return movement;
    if (judged.size >= MAX_JUDGED) judged.clear();
    judged.add(key);
    return movement;
  }

  const logsOf = ({ provider }: View, { token, receipt }: AskedMovement) => {
    const filter = { address: token, blockHash: receipt.blockHash, topics: [TRANSFER_TOPIC] };
    const key = `${provider.name} ${receipt.blockHash} ${token}`;
    return sharedLogs(key, () => provider.ask('eth_getLogs', [filter], readTransferLogs));
  };

  const balanceOf = (provider: Provider, { token, receipt }: AskedMovement, owner: string, number: bigint) => {
    const call = { to: token, data: balanceOfData(owner) };
    const key = `${provider.name} ${receipt.blockHash} ${number} ${token} ${owner}`;
    return shared(key, () => provider.ask('eth_call', [call, `0x${number.toString(16)}`], readWord));
  };

  /** By how much the balance of an owner grew in the block. */
  async function growthOf(view: View, asked: AskedMovement, owner: string): Promise<Reply<bigint>> {
    const { provider } = view;
    const { blockNumber } = asked.receipt;
    if (isOld(view, asked.receipt)) return TOO_OLD;
    const [before, after] = await Promise.all([
      balanceOf(provider, asked, owner, blockNumber - 1n),
      balanceOf(provider, asked, owner, blockNumber),
    ]);
    if (before.kind !== 'value') return before;
    return after.kind === 'value' ? { kind: 'value', value: after.value - before.value } : after;
  }

  async function successBy(view: View, asked: AskedMovement): Promise<Movement> {
    const { transfer, receipt, token } = asked;
    // Without balances the logs decide nothing: a provider that never shows balances must not keep the transfer from being settled.
    if (isOld(view, receipt)) return { kind: 'not_kept' };
    const { sender } = transfer.slot;
    const [logs, ofSender, ofPayee] = await Promise.all([
      logsOf(view, asked),
      growthOf(view, asked, sender),
      growthOf(view, asked, transfer.to),
    ]);
    const missing = [logs, ofSender, ofPayee].map(({ kind }) => kind).filter(kind => kind !== 'value');
    if (missing.length > 0) return { kind: missing.includes('silence') ? 'unknown' : 'not_kept' };
    if (logs.kind !== 'value' || ofSender.kind !== 'value' || ofPayee.kind !== 'value') return { kind: 'unknown' };
    // An index that lacks it this far below the head will never have it.
    if (!hasOwn(logs.value, receipt)) return { kind: 'not_kept' };
    const logged = flowsOf(logs.value, token, sender);
    const toPayee = flowsOf(logs.value, token, transfer.to);
    const isPaid = ofPayee.value === toPayee.came - toPayee.left;
    // What did not leave as logged, net of what came in the same block.
    const lacking = logged.left - logged.came + ofSender.value;
    if (lacking === 0n && isPaid) return { kind: 'fits' };
    // Several transfers of one block share the missing amount by size.
    const share = logged.left === 0n ? lacking : (lacking * transfer.units) / logged.left;
    const leftUnits = transfer.units - share;
    return { kind: 'differs', leftUnits: leftUnits > 0n ? leftUnits : 0n };
  }

  async function failureBy(view: View, asked: AskedMovement): Promise<Movement> {
    const { transfer, receipt, token } = asked;
    const { sender } = transfer.slot;
    const [logs, growth] = await Promise.all([logsOf(view, asked), growthOf(view, asked, sender)]);
    if (logs.kind === 'value' && hasOwn(logs.value, receipt)) return { kind: 'differs', leftUnits: 0n };
    if (logs.kind === 'silence' || growth.kind === 'silence') return { kind: 'unknown' };
    if (logs.kind === 'refusal' || growth.kind === 'refusal') return { kind: 'not_kept' };
    const { left, came } = flowsOf(logs.value, token, sender);
    return growth.value === came - left ? { kind: 'fits' } : { kind: 'differs', leftUnits: 0n };
  }

  return {
    ofSuccess: asked =>
      once(asked, async () => {
        const [first, ...others] = asked.views;
        const said = first ? [await successBy(first, asked)] : [];
        if (said[0]?.kind !== 'fits') said.push(...(await Promise.all(others.map(view => successBy(view, asked)))));
        return find(said, ['fits', 'differs', 'unknown']);
      }),
    ofFailure: asked =>
      once(asked, async () =>
        find(await Promise.all(asked.views.map(view => failureBy(view, asked))), ['differs', 'unknown', 'fits']),
      ),
  };
}

/** Whether nodes may have dropped the state of the block. */
function isOld({ head }: View, { blockNumber }: TransactionReceipt): boolean {
  return head.number - blockNumber >= STATE_BLOCKS;
}

const TOO_OLD: Reply<never> = { kind: 'refusal', code: 0, message: 'the state of this block is old' };

/** The first of these kinds that any provider gives. */
function find(said: readonly Movement[], kinds: readonly Movement['kind'][]): Movement {
  const found = kinds.flatMap(kind => said.find(each => each.kind === kind) ?? []);
  return found[0] ?? { kind: 'not_kept' };
}

function hasOwn(logs: readonly TransferLog[], { transactionHash }: TransactionReceipt): boolean {
  return logs.some(log => log.transactionHash === transactionHash);
}

/** What left an owner and what it received in a block, according to the logs. */
function flowsOf(logs: readonly TransferLog[], token: string, owner: string) {
  const own = owner.toLowerCase();
  const flows = { left: 0n, came: 0n };
  for (const { from, to, units } of tokenTransfers(logs, token)) {
    if (from === own) flows.left += units;
    if (to === own) flows.came += units;
  }
  return flows;
}
