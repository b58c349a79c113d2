// npm run docs -- client <url of a running sandbox>: writes the generated files of packages/client from its OpenAPI document.
import { mkdir, writeFile } from 'node:fs/promises';
import { generateClient } from './client/generate.ts';

const FOLDER = new URL('../packages/client/src/generated/', import.meta.url);

const [url = 'http://127.0.0.1:3000'] = process.argv.slice(2);
const answer = await fetch(new URL('/openapi.json', url));
await mkdir(FOLDER, { recursive: true });
for (const [name, text] of Object.entries(generateClient(JSON.parse(await answer.text())))) {
  await writeFile(new URL(name, FOLDER), text);
}
