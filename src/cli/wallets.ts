// trilho wallets: lists, approves and blocks wallets, and prints what screening uses.
import { openApprovalRules } from '../accounts/approval-rules.ts';
import { missingApprovals } from '../accounts/approvals.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { MAX_PAGE_SIZE } from '../lib/paging.ts';
import { blockPayee } from '../payouts/policy/block-payee.ts';
import { standingOf } from '../wallets/approvals.ts';
import { approveWallet } from '../wallets/approve.ts';
import { openScreeningFile } from '../wallets/screening-file.ts';
import { readWalletPage } from '../wallets/store.ts';
import { listHits, type ScreeningHit } from '../wallets/store-screening.ts';
import { ownershipOf, type Wallet } from '../wallets/wallet.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withCharges, withDatabase } from './database.ts';

const VERBS = ['list', 'approve', 'block', 'unblock', 'screening'] as const;
const OPERATOR = 'operator';
/** Hits that `screening` prints. */
const MAX_HITS = 100;
/** Pages that `list` prints at most. */
const MAX_PAGES = 10_000;

export async function walletsCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('wallets', args, VERBS);
  const rest = args.slice(1);
  if (verb === 'list') return list(config, log, rest);
  if (verb === 'screening') return screening(config, log, rest);
  return act(config, log, verb, rest);
}

async function list(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { options: ['account'] });
  refuseFaults('wallets list', faults);
  const { account } = options;
  await withDatabase({ config, log, action: 'trilho wallets list' }, async ({ db }) => {
    for (let page = 1; page <= MAX_PAGES; page++) {
      const query = { page, pageSize: MAX_PAGE_SIZE, ...(account !== undefined && { accountId: account }) };
      const { wallets, total } = await readWalletPage(db, query);
      for (const wallet of wallets) console.log(lineOf(wallet));
      if (page * MAX_PAGE_SIZE >= total) return;
    }
  });
  return 0;
}

function lineOf(wallet: Wallet): string {
  const { id, accountId, network, address, name, createdBy, approvedAt, approvals = [], blockedAt } = wallet;
  const standing = [
    ownershipOf(wallet).ownership,
    approvedAt ? 'approved' : `not approved${approvals.length > 0 ? ` (${approvals.length} given)` : ''}`,
    ...(blockedAt ? ['BLOCKED'] : []),
  ];
  return [id, accountId, network, address, `by ${createdBy ?? 'unknown'}`, standing.join(', '), name].join('  ');
}

const DONE = { block: 'is blocked: nothing is sent to its address', unblock: 'is not blocked' };

async function act(
  config: Config,
  log: Log,
  verb: keyof typeof DONE | 'approve',
  args: readonly string[],
): Promise<number> {
  const { positionals, faults } = readArguments(args, { positionals: ['wallet id'] });
  const [id = ''] = positionals;
  if (positionals.length > 0 && !UUID.test(id)) faults.push(`<wallet id> must be a UUID, not ${quoted(id)}`);
  refuseFaults(`wallets ${verb}`, faults);
  const task = { config, log, action: `trilho wallets ${verb}` };
  const by = OPERATOR;
  if (verb === 'approve') {
    const approvalRules = openApprovalRules(config.payouts.approvals);
    await withDatabase(task, async deps => {
      const wallet = await change(id, walletId => approveWallet({ ...deps, approvalRules }, walletId, { by }));
      const { groups, isApproved } = await standingOf(deps.db, approvalRules, wallet, deps.clock.now());
      if (!isApproved) console.log(`Your approval counts, and others are missing: ${missingApprovals(groups)}`);
      else console.log(`Wallet ${id} is approved.`);
    });
    return 0;
  }
  await withCharges(task, deps =>
    change(id, walletId => blockPayee(deps, walletId, { by, isBlocked: verb === 'block' })),
  );
  console.log(`Wallet ${id} ${DONE[verb]}.`);
  return 0;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function change(given: string, act: (id: string) => Promise<Wallet>): Promise<Wallet> {
  const id = given.toLowerCase();
  setAuditObject(id);
  try {
    return await act(id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw new StartError(`There is no wallet ${id}.`);
    if (error instanceof AppError) throw new StartError(error.message);
    throw error;
  }
}

/** Calls no screening service and screens no address. */
async function screening(config: Config, log: Log, args: readonly string[]): Promise<number> {
  refuseFaults('wallets screening', readArguments(args, {}).faults);
  const { file, hook } = config.screening;
  if (file === undefined) console.log('list     not configured; set TRILHO_SCREENING_FILE');
  else {
    const { list: found } = await (await openScreeningFile({ log }, file)).current();
    console.log(`list     ${found.size} addresses, ${found.date ?? 'without a date'}, sha256 ${found.digest}`);
    if (found.skipped > 0) console.log(`skipped  ${found.skipped} lines without an address of a known network`);
  }
  console.log(`service  ${hook ? new URL(hook.url).origin : 'not configured; set TRILHO_SCREENING_URL'}`);
  const hits = await withDatabase({ config, log, action: 'trilho wallets screening' }, ({ db }) =>
    listHits(db, MAX_HITS),
  );
  for (const hit of hits) console.log(hitLine(hit));
  return 0;
}

function hitLine({ network, address, source, list: from, words, firstAt, lastAt }: ScreeningHit): string {
  const by = from ? `list of ${from.date ?? 'no date'} ${from.digest}` : source;
  const times = `first ${firstAt.toISOString()}  last ${lastAt.toISOString()}`;
  return ['hit', network, address, times, by, ...(words === undefined ? [] : [quoted(words)])].join('  ');
}
