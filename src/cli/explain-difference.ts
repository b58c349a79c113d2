// trilho ledger explain: an operator records what a difference between the books and a chain was; the check then prints it as a note.
import { type Network, symbolsOn } from '../chains/asset.ts';
import { coinOf, decimalsOf, isTransactionHash } from '../chains/networks.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { formatUnits, parseUnits } from '../lib/decimals.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type Span, slotSubject, spanSubject, transferSubject } from '../payouts/compare/explanation.ts';
import { readBalances } from '../payouts/store/balances.ts';
import { insertExplanation } from '../payouts/store/explanations.ts';
import { findSender } from '../payouts/store/senders.ts';
import type { Sql } from '../storage/database.ts';
import { type Arguments, quoted, readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';
import { readNetwork } from './read-asset.ts';

const MAX_NOTE = 500;
const KINDS = ['transfer', 'slot', 'amount'] as const;

export async function explainCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, {
    positionals: ['network', 'sender'],
    options: [...KINDS, 'asset', 'blocks'],
    neededOptions: ['note'],
  });
  const [name, sender = ''] = positionals;
  const network = readNetwork('<network>', name, faults);
  const note = options['note'] ?? '';
  if (note.length > MAX_NOTE) faults.push(`--note must have at most ${MAX_NOTE} characters`);
  const difference = network && readDifference(network, options, faults);
  refuseFaults('ledger explain', faults);
  if (!network || !difference) return 2;
  await withCharges({ config, log, action: 'trilho ledger explain' }, ({ db, clock }) =>
    db.transaction(async tx => {
      setAuditObject(sender);
      if (!(await findSender(tx, network, sender))) {
        throw new StartError(`The service has not sent from ${sender} on ${network}.`);
      }
      if (difference.span) await requireSpan(tx, network, sender, difference.span);
      await insertExplanation(tx, { network, sender, subject: difference.subject, note }, clock.now());
    }),
  );
  console.log(`Explained: ${difference.subject}. trilho ledger check --chains prints it as a note.`);
  return 0;
}

type Named = { readonly subject: string; readonly span?: Span };

function readDifference(network: Network, options: Arguments['options'], faults: string[]): Named | undefined {
  const { transfer, slot, amount } = options;
  if (KINDS.filter(kind => options[kind] !== undefined).length !== 1) {
    faults.push('one of --transfer, --slot and --amount must be given');
    return undefined;
  }
  if (amount === undefined && (options['asset'] ?? options['blocks']) !== undefined) {
    faults.push('--asset and --blocks belong to --amount');
  }
  if (transfer !== undefined) {
    if (!isTransactionHash(network, transfer))
      faults.push(`--transfer must be the hash of a transaction of ${network}`);
    return { subject: transferSubject(transfer) };
  }
  if (slot !== undefined) {
    if (!/^\d{1,18}$/.test(slot)) faults.push(`--slot must be a number, not ${quoted(slot)}`);
    return /^\d{1,18}$/.test(slot) ? { subject: slotSubject(BigInt(slot)) } : undefined;
  }
  const span = readSpan(network, options, faults);
  return span && { subject: spanSubject(span), span };
}

function readSpan(network: Network, options: Arguments['options'], faults: string[]): Span | undefined {
  const { amount = '', asset: symbol = '', blocks = '' } = options;
  const coin = coinOf(network);
  const token = symbolsOn(network).find(one => one === symbol);
  const decimals = symbol === coin.symbol ? coin.decimals : token && decimalsOf(token, network);
  if (decimals === undefined) {
    const known = [...new Set([coin.symbol, ...symbolsOn(network)])];
    faults.push(`--asset must be one of ${known.join(', ')}`);
  }
  const units = decimals === undefined ? undefined : parseUnits(amount, decimals);
  if (decimals !== undefined && !units) faults.push('--amount must be an amount of the asset above 0, such as 1.5');
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(blocks) ?? [];
  if (from === undefined || to === undefined) faults.push('--blocks must be two numbers of blocks, such as 100-250');
  if (!units || decimals === undefined || from === undefined || to === undefined) return undefined;
  return { amount: formatUnits(units, decimals), symbol, fromBlock: Number(from), toBlock: Number(to) };
}

/** The check compares two successive balance records; no other span can be named. */
async function requireSpan(sql: Sql, network: Network, sender: string, { symbol, fromBlock, toBlock }: Span) {
  const noted = (await readBalances(sql, network, sender, symbol)).map(({ block }) => block);
  const index = noted.indexOf(fromBlock);
  if (index >= 0 && noted[index + 1] === toBlock) return;
  throw new StartError(`No check compared ${symbol} between the blocks ${fromBlock} and ${toBlock}.`);
}
