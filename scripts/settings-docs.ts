// Writes .env.example and the table in docs/configuration.md from the table of settings.
import { readFileSync, writeFileSync } from 'node:fs';
import { envExample, withSettingsTable } from '../src/config/document.ts';

const EXAMPLE = new URL('../.env.example', import.meta.url);
const PAGE = new URL('../docs/configuration.md', import.meta.url);

writeFileSync(EXAMPLE, envExample());
writeFileSync(PAGE, withSettingsTable(readFileSync(PAGE, 'utf8')));
