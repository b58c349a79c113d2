// Whether crypto may be sent to a wallet: by the settings (waiting time, proof, approval), the operator's blocks and screening. Checked
// when an order is created, and again before crypto leaves.
import type { ApprovalRules } from '../accounts/approval-rules.ts';
import { missingApprovals } from '../accounts/approvals.ts';
import { type Clock, laterOf } from '../lib/clock.ts';
import { AppError, type Fault } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Sql } from '../storage/database.ts';
import { standingOf, type WalletStanding } from './approvals.ts';
import type { Screening } from './screening.ts';
import type { ListIdentity } from './screening-list.ts';
import { findWallet, isAddressBlocked } from './store.ts';
import type { Wallet } from './wallet.ts';
import type { WalletPolicySettings } from './wallet-settings.ts';

export type WalletGateDeps = {
  readonly db: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly walletPolicy: WalletPolicySettings;
  readonly approvalRules: ApprovalRules;
  readonly screening: Screening;
};

type WalletRefusal = {
  readonly code: 'not_usable_yet' | 'not_approved' | 'not_declared' | 'not_proven';
  /** The end of a sentence about the wallet, with the next step. */
  readonly message: string;
};

/** Everything that a wallet lacks, by the settings and its approvals. Pure. */
function walletRefusals(
  wallet: Wallet,
  { groups, isApproved }: WalletStanding,
  { proof, approval }: WalletPolicySettings,
  now: Date,
): WalletRefusal[] {
  const { usableAt, createdAt, provenAt, declaredAt, isContract = false } = wallet;
  const refusals: WalletRefusal[] = [];
  // A node whose clock is slightly ahead may have created it: without a waiting time it is usable from its creation.
  if (usableAt > laterOf(now, createdAt)) {
    refusals.push({ code: 'not_usable_yet', message: `may receive from ${usableAt.toISOString()} on` });
  }
  if ((approval || groups.length > 0) && !isApproved) {
    const who =
      groups.length > 0 ? missingApprovals(groups).slice(0, -1) : 'another key than its maker’s must approve it';
    const message = `is not approved: ${who} (POST /wallets/{id}/approve)`;
    refusals.push({ code: 'not_approved', message });
  }
  if (proof === 'proven' && !provenAt)
    refusals.push({ code: 'not_proven', message: PROVE[isContract ? 'contract' : 'key'] });
  if (proof === 'declared' && !provenAt && !declaredAt) {
    const message = 'has no holder on record: send a declaration (POST /wallets/{id}/declaration) or a proof';
    refusals.push({ code: 'not_declared', message });
  }
  return refusals;
}

const PROVE = {
  key: 'has no proof of ownership: sign the text of POST /wallets/{id}/challenge and send it to POST /wallets/{id}/proof',
  contract: 'is a contract, which cannot prove its owner by a key, and this service sends only to proven wallets',
} as const;

async function refusalsOf({ db, clock, walletPolicy, approvalRules }: WalletGateDeps, wallet: Wallet) {
  const now = clock.now();
  return walletRefusals(wallet, await standingOf(db, approvalRules, wallet, now), walletPolicy, now);
}

/** Refuses an order to a wallet that may not receive, naming everything that it lacks. */
export async function requireOrderable(deps: WalletGateDeps, wallet: Wallet): Promise<void> {
  const faults: Fault[] = (await refusalsOf(deps, wallet)).map(refusal => ({ path: 'walletId', ...refusal }));
  if (faults.length > 0) {
    throw new AppError('order_refused', `walletId ${faults.map(({ message }) => message).join('; ')}.`, { faults });
  }
  await requireUnblocked(deps, wallet, 'screenByRecord');
}

/** Refuses an address that is blocked by an operator or found by screening, without giving the reason. */
export async function requireUnblocked(
  { db, log, screening }: Pick<WalletGateDeps, 'db' | 'log' | 'screening'>,
  { network, address, id }: Pick<Wallet, 'network' | 'address'> & { readonly id?: string },
  by: keyof Screening,
): Promise<void> {
  const isBlocked = (await isAddressBlocked(db, address)) || (await screening[by](network, address)).result === 'hit';
  if (!isBlocked) return;
  log.warn('a blocked address was refused; see trilho wallets screening', {
    network,
    ...(id !== undefined && { walletId: id }),
  });
  throw new AppError('wallet_blocked', 'This service does not send to this wallet.');
}

export type Payability =
  /** `list`: the screening list that was used. */
  | { readonly kind: 'payable'; readonly list?: ListIdentity }
  | {
      readonly kind: 'refused';
      readonly reason: WalletRefusal['code'] | 'blocked' | 'unknown_wallet';
      readonly message: string;
    }
  /** Screening has no answer now: wait and retry. */
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * Whether crypto may be sent to a wallet now, even to one that was removed after its order was created. Calls the screening service, so it
 * must be called with no transaction open. `message` is for operators.
 *
 * @example
 * const may = await walletMayBePaid(deps, order.walletId);
 * if (may.kind !== 'payable') return hold(order, may.message);
 */
export async function walletMayBePaid(deps: WalletGateDeps, walletId: string): Promise<Payability> {
  const wallet = await findWallet(deps.db, walletId, { withRemoved: true });
  if (!wallet) return { kind: 'refused', reason: 'unknown_wallet', message: 'The wallet does not exist.' };
  const [refusal] = await refusalsOf(deps, wallet);
  if (refusal) return { kind: 'refused', reason: refusal.code, message: `The wallet ${refusal.message}.` };
  const blocked: Payability = { kind: 'refused', reason: 'blocked', message: 'The address of the wallet is blocked.' };
  if (await isAddressBlocked(deps.db, wallet.address)) return blocked;
  const verdict = await deps.screening.screen(wallet.network, wallet.address);
  if (verdict.result === 'hit') return blocked;
  if (verdict.result === 'unknown')
    return { kind: 'unknown', message: `Screening by ${verdict.source} has no answer now.` };
  return { kind: 'payable', ...(verdict.list && { list: verdict.list }) };
}
