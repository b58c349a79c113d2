// One verb of a charge at a PSP in a process of its own that is killed after a given number of steps. The PSP is another
// process and keeps what it received.
import type { CrashOrder } from './crash.ts';
import { openPspNode, type PspPlace, type PspVerb, type PspVictim } from './psp-verbs.ts';
import { dieAfter } from './steps.ts';

export type PspCrash = CrashOrder & {
  readonly verb: PspVerb;
  readonly victim: PspVictim;
  readonly place: PspPlace;
};

const { databaseUrl, now, verb, step, victim, place }: PspCrash = JSON.parse(process.argv[2]!);
const node = await openPspNode(databaseUrl);
await node.run(verb, victim, { now, place, steps: dieAfter(step) });
await node.close();
