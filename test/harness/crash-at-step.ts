// One verb of a charge's life in a process of its own that is killed after a given number of steps.
import { type ChargeVerb, type ChargeVictim, openChargeNode } from './charge-verbs.ts';
import type { CrashOrder } from './crash.ts';
import { dieAfter } from './steps.ts';

export type ChargeCrash = CrashOrder & {
  readonly verb: ChargeVerb;
  readonly bankFile: string;
  readonly victim: ChargeVictim;
};

const { databaseUrl, now, verb, step, bankFile, victim }: ChargeCrash = JSON.parse(process.argv[2]!);
const node = await openChargeNode(databaseUrl);
await node.run(verb, victim, { bankFile, now, steps: dieAfter(step) });
await node.close();
