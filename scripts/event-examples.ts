// npm run docs -- events <url of a running sandbox>: makes every event happen there and records it as the example of its type.
import { writeFile } from 'node:fs/promises';
import { TRIGGERS, trigger } from '../src/cli/trigger.ts';

const FILE = new URL('../src/api/event-examples.json', import.meta.url);

const [url = 'http://127.0.0.1:3000'] = process.argv.slice(2);
const examples: Record<string, unknown> = {};
for (const type of TRIGGERS) examples[type] = JSON.parse(await trigger(url, type));
await writeFile(FILE, `${JSON.stringify(examples, undefined, 2)}\n`);
