// Two ways in which crypto is NOT sent. The drill must see each of them pay twice, or it proves nothing.
import { openDrill, type Verdict } from './drill.ts';
import type { WorldName } from './world.ts';

export const CONTROLS = ['send then save', 'a nonce for each try'] as const;
export type Control = (typeof CONTROLS)[number];

/** The slot is taken, the nonce is asked for, the bytes are signed and sent: the fourth step is the broadcast. */
const BEFORE_SAVING = 4;

export async function runControl(world: WorldName, control: Control, seed: number): Promise<Verdict> {
  const drill = await openDrill(world, seed, 0);
  try {
    await drill.pay(1);
    await drill.run('open');
    if (control === 'send then save') {
      await drill.run(control, BEFORE_SAVING);
      await drill.world.pass(3, 3 * drill.world.blockMs);
      await drill.run(control);
    } else {
      await drill.begin('only sends lose their replies');
      await drill.run(control);
      await drill.mend();
    }
    await drill.world.pass(3, 3 * drill.world.blockMs);
    return await drill.judge();
  } finally {
    await drill.close();
  }
}
