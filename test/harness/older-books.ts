// A service whose database was restored: orders are created, the database is saved, the first order is paid out, and a second
// service continues from the saved database, on the same chain.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Chain } from '../../src/chains/chain.ts';
import { backupCommand } from '../../src/cli/backup.ts';
import { restoreCommand } from '../../src/cli/restore.ts';
import { runCommand } from './commands.ts';
import { createDatabase } from './databases.ts';
import { type OrderDriver, orderDriver } from './orders.ts';
import { type Drill, type DrillOptions, openDrill } from './payout-drill/drill.ts';
import type { WorldName } from './payout-drill/world.ts';
import { type Answer, type Service, startService } from './service.ts';

/** An order for an address of its own. */
type Made = Answer & { readonly address: string };

export type OlderBooks = {
  readonly drill: Drill;
  readonly service: Service;
  readonly driver: OrderDriver;
  /** The order that the chain paid and the restored books do not show, and the one behind it in the line. */
  readonly lost: Made;
  readonly next: Made;
  /** The transaction that paid the first. */
  readonly hash: string;
  pay(order: Made): Promise<void>;
  /** How many transfers reached the wallet of an order. */
  moved(order: Made): Promise<number>;
  holds(order: Made): Promise<{ status: string; message: string | undefined; slots: number }>;
  halted(): Promise<{ network: string; sender: string; words?: string }[]>;
  resume(): Promise<Answer>;
  stop(): Promise<void>;
};

type Options = DrillOptions & {
  readonly world: WorldName;
  readonly seed: number;
  /** Whether the sender had a payout before the database was saved. */
  readonly hasHistory?: boolean;
  /** Blocks between the payout and the restore. */
  readonly blocks?: number;
  /** The chain as the second service sees it. */
  readonly change?: (chain: Chain) => Chain;
};

const DEEP = 3;

export async function startWithOlderBooks(options: Options): Promise<OlderBooks> {
  const { world, seed, hasHistory = true, blocks = DEEP, change = chain => chain } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'trilho-older-'));
  const drill = await openDrill(world, seed, 4, options);
  const { service: first, chain } = drill;
  const firstDriver = orderDriver(first);
  const { network } = drill.world;
  const make = async (driver: OrderDriver, service: Service): Promise<Made> => {
    const address = drill.world.newAddress(drill.random);
    const wallet = await service.post('/wallets', { accountId: 'acme', name: 'Payee', network, address });
    assert.equal(wallet.status, 201, wallet.text);
    const order = await driver.order({ network, walletId: wallet.json.id, cost: 541 });
    assert.equal(order.status, 201, order.text);
    return { ...order, address: wallet.json.address };
  };
  if (hasHistory) {
    await drill.pay(1);
    await drill.runJobs();
    await drill.rest();
  }
  const [lost, next] = [await make(firstDriver, first), await make(firstDriver, first)];
  const backup = path.join(folder, 'saved');
  await runCommand(backupCommand, { DATABASE_URL: first.databaseUrl }, [backup]);
  await firstDriver.pay(lost);
  await drill.runJobs();
  await drill.pass(blocks, Math.max(blocks * drill.world.blockMs, 1_000));
  const database = await createDatabase('template0');
  await runCommand(restoreCommand, { DATABASE_URL: database.url }, [backup]);
  const service = await startService({
    beside: { ...first, databaseUrl: database.url },
    chains: { [network]: change(chain) },
  });
  const driver = orderDriver(service);
  const { transfer } = await firstDriver.read(lost);
  return {
    drill,
    service,
    driver,
    lost,
    next,
    hash: transfer.hash ?? transfer.attempts?.[0]?.hash,
    pay: async order => {
      assert.equal((await driver.pay(order)).status, 200);
      await service.runJobs();
    },
    moved: async ({ address }) => (await drill.world.landed(address)).times,
    holds: async order => {
      const { status, lastError } = await driver.read(order);
      const [row] = await service.sql<{ count: number }>(
        'select count(*)::int as count from payouts where order_id = $1',
        [order.json.transactionId],
      );
      return { status, message: lastError, slots: row?.count ?? 0 };
    },
    halted: async () => (await service.get('/payouts/senders/halted')).json.senders,
    resume: () => service.post('/payouts/senders/resume', { network, sender: chain.senders[0] }),
    stop: async () => {
      await service.stop();
      await database.drop();
      await drill.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
