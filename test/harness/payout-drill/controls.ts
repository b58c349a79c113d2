// Two ways in which crypto must NOT be sent. The drill must see each of them pay twice, or it proves nothing.
import { openDrill, type Verdict } from './drill.ts';
import type { WorldName } from './world.ts';

export const CONTROLS = ['send then save', 'a nonce for each try'] as const;
type Control = (typeof CONTROLS)[number];

/** The slot is taken, the nonce is asked for, the bytes are signed and sent: the fourth step is the broadcast. */
const BEFORE_SAVING = 4;
const BLOCKS = 3;

export async function runControl(world: WorldName, control: Control, seed: number): Promise<Verdict> {
  const drill = await openDrill(world, seed, 0);
  try {
    await drill.pay(1);
    await drill.run('open');
    // The first ends before it has saved what it sent, or its reply is lost; then the same is tried again.
    await drill.run(control, control === 'send then save' ? BEFORE_SAVING : undefined);
    await drill.world.pass(BLOCKS, BLOCKS * drill.world.blockMs);
    await drill.run(control);
    await drill.world.pass(BLOCKS, BLOCKS * drill.world.blockMs);
    return await drill.judge();
  } finally {
    await drill.close();
  }
}
