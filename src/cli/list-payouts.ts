// trilho payouts list and show.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { MAX_PAGE_SIZE } from '../lib/paging.ts';
import { PAYOUT_STATES } from '../payouts/payout.ts';
import { findPayoutByEither } from '../payouts/store/list.ts';
import { listPayouts, payoutView } from '../payouts/view.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';
import { readNetwork, readWord } from './read-asset.ts';

export async function listCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { options: ['network', 'state', 'account', 'page'] });
  const network = readNetwork('--network', options['network'], faults);
  const state = readWord('--state', options['state'], PAYOUT_STATES, faults);
  const { account: accountId, page: pageText = '1' } = options;
  const page = /^[1-9]\d{0,8}$/.test(pageText) ? Number(pageText) : 0;
  if (page === 0) faults.push(`--page must be a whole number from 1 on, not ${quoted(pageText)}`);
  refuseFaults('payouts list', faults);
  const query = {
    page,
    pageSize: MAX_PAGE_SIZE,
    ...(network && { network }),
    ...(state && { state }),
    ...(accountId !== undefined && { accountId }),
  };
  const { payouts, total, totalPages } = await withDatabase({ config, log, action: 'trilho payouts list' }, deps =>
    listPayouts(deps, query),
  );
  for (const { createdAt, state: now, network: on, quantity, symbol, destination, ...rest } of payouts) {
    const hash = rest.hash ?? rest.attempts.at(-1)?.hash ?? 'not signed';
    console.log(
      [
        createdAt,
        now,
        on,
        `${quantity} ${symbol}`,
        destination,
        rest.transactionId ?? rest.purpose.replace('_', ' '),
        hash,
      ].join('  '),
    );
  }
  console.log(total === 0 ? 'There are no such payouts.' : `Page ${page} of ${totalPages}, ${total} payouts.`);
  return 0;
}

export async function showCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, faults } = readArguments(args, { positionals: ['payout or transaction id'] });
  const [id = ''] = positionals;
  if (positionals.length > 0 && !isUuid(id))
    faults.push(`<payout or transaction id> must be a UUID, not ${quoted(id)}`);
  refuseFaults('payouts show', faults);
  const payout = await withDatabase({ config, log, action: 'trilho payouts show' }, ({ db }) =>
    findPayoutByEither(db, id),
  );
  if (!payout) throw new StartError(`There is no payout of ${id}.`);
  console.log(JSON.stringify(payoutView(payout), undefined, 2));
  return 0;
}
