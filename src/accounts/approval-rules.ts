// Who must approve what, by the settings: groups of keys and people, of whom several must approve a payout or a wallet. Pure.
import { NETWORKS, type Network } from '../chains/asset.ts';
import { decimalsOf, type SentSymbol, sentSymbolsOn } from '../chains/networks.ts';
import { parseUnits } from '../lib/decimals.ts';
import { StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { ApprovalSettings } from './approval-settings.ts';

/** A group: `needed` of its members must approve, and no two of them may share a maker. */
export type ApprovalGroup = {
  readonly name: string;
  readonly needed: number;
  /** Keys, people and the operator, as in the audit log. */
  readonly members: ReadonlySet<string>;
};

type ApprovalRule = ApprovalGroup & {
  /** A rule is for wallets or payouts, of one account or of all. */
  readonly isOfWallets: boolean;
  readonly accountId?: string;
  readonly symbol?: SentSymbol;
  readonly network?: Network;
  /** Decimal text in units of the asset. Without it every amount is approved. */
  readonly above?: string;
};

export type ApprovalRules = readonly ApprovalRule[];

export const OPERATOR = 'operator';

type Asked = {
  readonly accountId: string;
  readonly symbol: SentSymbol;
  readonly network: Network;
  readonly units: bigint;
};

/** The groups that approve a payout: of every rule that fits it. */
export function groupsOfPayout(rules: ApprovalRules, { accountId, symbol, network, units }: Asked): ApprovalGroup[] {
  return rules.filter(
    rule =>
      !rule.isOfWallets &&
      fits(rule.accountId, accountId) &&
      fits(rule.symbol, symbol) &&
      fits(rule.network, network) &&
      (rule.above === undefined || units > parseUnits(rule.above, decimalsOf(symbol, network))!),
  );
}

export function groupsOfWallet(rules: ApprovalRules, { accountId, network }: Pick<Asked, 'accountId' | 'network'>) {
  return rules.filter(
    rule => rule.isOfWallets && fits(rule.accountId, accountId) && fits(rule.network, network),
  ) satisfies ApprovalGroup[];
}

function fits<T>(wanted: T | undefined, value: T): boolean {
  return wanted === undefined || wanted === value;
}

/** Throws a StartError that names every fault. */
export function openApprovalRules(settings: readonly ApprovalSettings[] = []): ApprovalRules {
  const faults = settings.flatMap((entry, index) => {
    const isDouble = settings.findIndex(({ name }) => name === entry.name) < index;
    return [...(isDouble ? ['name must not be that of an earlier entry'] : []), ...faultsOf(entry)].map(
      message => `payouts.approvals of ${entry.name}: ${message}.`,
    );
  });
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  return settings.map(({ name, needed, by, wallets = false, accountId, symbol, network, above }) => ({
    name,
    needed,
    members: new Set(by.map(actorOf)),
    isOfWallets: wallets,
    ...(accountId !== undefined && { accountId }),
    ...(symbol !== undefined && { symbol }),
    ...(network !== undefined && { network }),
    ...(above !== undefined && { above }),
  }));
}

function faultsOf({ by, needed, wallets = false, symbol, network, above }: ApprovalSettings): string[] {
  const faults: string[] = [];
  const wrong = by.filter(member => !isMember(member));
  if (wrong.length > 0) {
    faults.push(`by must name keys by their ids, people as person: and an id, or ${OPERATOR}, not ${wrong.join(', ')}`);
  }
  if (needed > by.length) faults.push(`needed is ${needed}, and by names ${by.length}`);
  if (wallets && (symbol !== undefined || above !== undefined)) {
    faults.push('wallets cannot be combined with symbol or above');
  }
  if (above !== undefined && symbol === undefined) faults.push('above needs symbol, the asset of the amount');
  if (symbol === undefined) return faults;
  const homes = NETWORKS.filter(one => sentSymbolsOn(one).includes(symbol));
  if (network !== undefined && !homes.includes(network)) {
    faults.push(`network must be one of ${homes.join(', ')}`);
    return faults;
  }
  const meant = network === undefined ? homes : [network];
  const coarse = meant.find(one => above !== undefined && parseUnits(above, decimalsOf(symbol, one)) === undefined);
  if (coarse) faults.push(`above must have at most ${decimalsOf(symbol, coarse)} decimals on ${coarse}`);
  return faults;
}

const KEY_ID = /^[0-9A-Za-z]{12}$/;
const PERSON = 'person:';

function isMember(member: string): boolean {
  if (member.startsWith(PERSON)) return isUuid(member.slice(PERSON.length));
  return member === OPERATOR || KEY_ID.test(member);
}

function actorOf(member: string): string {
  if (member === OPERATOR) return member;
  return member.startsWith(PERSON) ? member.toLowerCase() : `key:${member}`;
}
