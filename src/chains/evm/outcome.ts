// What a mined attempt did, from its receipt. Pure.
import type { Attempt, Sighting, Transfer } from '../chain.ts';
import { tokenTransfers } from './contracts.ts';
import type { TransactionReceipt } from './read.ts';
import { readTransaction } from './transaction.ts';

type Done = Pick<Extract<Sighting, { readonly kind: 'mined' }>, 'outcome' | 'leftUnits'>;

/** `token` is the contract of the asset; undefined for the coin of the network. */
export function outcomeOf(
  transfer: Transfer,
  attempt: Attempt,
  receipt: TransactionReceipt,
  token: string | undefined,
): Done {
  if (attempt.kind === 'void') return { outcome: 'voided', leftUnits: 0n };
  if (!receipt.isSuccess) return { outcome: 'reverted', leftUnits: 0n };
  return token === undefined ? coinOutcome(transfer, attempt) : tokenOutcome(transfer, receipt, token);
}

/** The coin has no log: what moved is what was signed. */
function coinOutcome({ to, units }: Transfer, { raw }: Attempt): Done {
  const signed = readTransaction(raw)?.fields;
  const leftUnits = signed?.value ?? 0n;
  const isAsAsked = signed?.to === to && leftUnits === units;
  return { outcome: isAsAsked ? 'transferred' : 'mismatched', leftUnits };
}

/**
 * Everything that left the sender must have arrived, and be what was asked for. A success without any log of the token is
 * `mismatched` too: it is not known whether something moved, so it must not be sent a second time.
 */
function tokenOutcome({ to, units, slot }: Transfer, { logs }: TransactionReceipt, token: string): Done {
  const left = tokenTransfers(logs, token).filter(({ from }) => from === slot.sender.toLowerCase());
  const leftUnits = sum(left.map(each => each.units));
  const arrived = sum(left.filter(each => each.to === to.toLowerCase()).map(each => each.units));
  const isAsAsked = leftUnits === units && arrived === units;
  return { outcome: isAsAsked ? 'transferred' : 'mismatched', leftUnits };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => a + b, 0n);
}
