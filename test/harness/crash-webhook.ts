// Fan-out and delivery in a process of its own that is killed after a given number of steps. A step is an answered
// statement or an answered request.
import { subscribe } from 'node:diagnostics_channel';
import { deliverDue } from '../../src/events/deliver.ts';
import { type Database, openDatabase, type Sql } from '../../src/storage/database.ts';
import { secretBox } from '../../src/storage/secret-box.ts';
import { testClock } from './clock.ts';
import { silentLog } from './log.ts';

export type WebhookCrash = { readonly databaseUrl: string; readonly now: string; readonly step: number };

const order: WebhookCrash = JSON.parse(process.argv[2]!);
let stepsLeft = order.step;

function stepDone(): void {
  if (--stepsLeft === 0) process.kill(process.pid, 'SIGKILL');
}

function counted(db: Database): Database {
  const query = (sql: Sql): Sql['query'] => {
    return async (text, values) => {
      const rows = await sql.query(text, values);
      stepDone();
      return rows as never;
    };
  };
  return {
    ...db,
    query: query(db),
    transaction: async work => {
      const result = await db.transaction(tx => work({ query: query(tx) }));
      stepDone();
      return result;
    },
  };
}

subscribe('http.client.response.finish', stepDone);
const real = openDatabase({ connection: { connectionString: order.databaseUrl }, log: silentLog, maxConnections: 2 });
await deliverDue({
  db: counted(real),
  clock: testClock(order.now),
  secretBox: secretBox([]),
  allowsLocal: true,
  webhookConcurrency: 100,
  log: silentLog,
});
await real.close();
