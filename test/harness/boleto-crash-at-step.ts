// One verb of a charge at a bank with a boleto API in a process of its own that is killed after a given number of steps. The bank is
// another process and keeps what it received.
import { type Banks, type BoletoVerb, openBoletoNode } from './boleto-verbs.ts';
import type { CrashOrder } from './crash.ts';
import { dieAfter } from './steps.ts';

export type BoletoCrash = CrashOrder & {
  readonly verb: BoletoVerb;
  readonly externalId: string;
  readonly banks: Banks;
};

const { databaseUrl, now, verb, step, externalId, banks }: BoletoCrash = JSON.parse(process.argv[2]!);
const node = await openBoletoNode(databaseUrl);
await node.run(verb, externalId, { now, banks, steps: dieAfter(step) });
await node.close();
