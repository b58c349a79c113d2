// A sandbox whose chains a test may replace, with its payouts and transfers.
import { NETWORKS, type Network } from '../../src/chains/asset.ts';
import type { Chain, Chains } from '../../src/chains/chain.ts';
import { checkLedger } from '../../src/ledger/check.ts';
import { LEDGER_CHECKS } from '../../src/nouns.ts';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { sandboxClock } from '../../src/sandbox/clock/sandbox-clock.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { silentLog } from './log.ts';
import { type OrderDriver, orderDriver } from './orders.ts';
import { type Answer, type Service, startService } from './service.ts';

export type PayoutService = {
  readonly service: Service;
  readonly orders: OrderDriver;
  act(order: Answer, verb: string): Promise<Answer>;
  /** A paid order, with its jobs run. */
  paid(changes?: Record<string, unknown>): Promise<Answer>;
  /** The payouts of an order, oldest first, with the number of their attempts. */
  payouts(order: Answer): Promise<{ state: string; nonce: number; sender: string; attempts: number }[]>;
  /** How many transfers were made on a network. */
  transfers(network: Network): Promise<number>;
  /** Differences in the books. */
  differences(): Promise<unknown[]>;
  stop(): Promise<void>;
};

/**
 * `change` wraps the simulated chain of each network; the state of the chains is that of the sandbox. With `work` jobs and
 * sweeps run by themselves.
 */
export async function startPayoutService(
  change: (chain: Chain) => Chain = chain => chain,
  senders?: (network: Network) => Chain['senders'],
  env: Readonly<Record<string, string>> = {},
  { work = false }: { readonly work?: boolean } = {},
): Promise<PayoutService> {
  const first = await startService();
  const connection = { connectionString: first.databaseUrl };
  const db = openDatabase({ connection, log: silentLog, maxConnections: 4 });
  const clock = sandboxClock(db, first.clock);
  const simulated = sandboxChains({ clock, store: sandboxChainStore(db), ...(senders && { sendersOf: senders }) });
  const chains: Chains = Object.fromEntries(NETWORKS.map(network => [network, change(simulated[network])]));
  const service = await startService({ beside: first, chains, env, work });
  const orders = orderDriver(service);
  return {
    service,
    orders,
    act: (order, verb) => service.post(`/crypto/transactions/${order.json.transactionId}/${verb}`, {}),
    paid: async changes => {
      const order = await orders.order(changes);
      await orders.pay(order);
      await service.runJobs();
      return order;
    },
    payouts: order =>
      service.sql(
        `select state, nonce::int, sender,
                (select count(*)::int from payout_attempts a where a.payout_id = p.id) as attempts
           from payouts p where order_id = $1 order by created_at, nonce`,
        [order.json.transactionId],
      ),
    transfers: async network => {
      const [row] = await service.sql<{ count: number }>(
        `select count(*)::int as count from sandbox_chain_transactions
          where network = $1 and destination is not null and not reverts`,
        [network],
      );
      return row!.count;
    },
    differences: async () => (await checkLedger(db, LEDGER_CHECKS)).flatMap(({ differences }) => differences),
    stop: async () => {
      await service.stop();
      await db.close();
      await first.stop();
    },
  };
}
