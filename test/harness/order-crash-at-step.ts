// One verb of an order's life in a process of its own that is killed after a given number of steps.
import type { CrashOrder } from './crash.ts';
import { ORDER_VERBS, type OrderVerb, openOrderNode, type Victim } from './order-verbs.ts';
import { dieAfter } from './steps.ts';

export type OrderCrash = CrashOrder & { readonly verb: OrderVerb; readonly victim: Victim };

const { databaseUrl, now, verb, step, victim }: OrderCrash = JSON.parse(process.argv[2]!);
const node = await openOrderNode(databaseUrl, now, dieAfter(step));
await ORDER_VERBS[verb](node.deps, victim);
await node.close();
