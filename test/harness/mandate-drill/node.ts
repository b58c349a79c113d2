// A node of a live service, as a process of its own, whose clock is as far from the machine's as the drill says.
import { startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLog } from '../../../src/lib/log.ts';

let offsetMs = Number(process.argv[2]);
const config = readConfig(process.env);
process.once('disconnect', () => process.exit());
process.on('message', (told: number) => {
  offsetMs = told;
  process.send!(told);
});
const clock = { now: () => new Date(Date.now() + offsetMs) };
const { url } = await startApp(config, createLog(config.logLevel, process.stderr), { clock });
process.send!(url);
