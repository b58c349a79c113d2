// The table of settings as people read it: `.env.example` and the table in docs/configuration.md. Both files are kept in
// the repository; `npm run docs -- settings` writes them and a test fails when they differ from the settings.
import type { Setting } from '../lib/settings/setting.ts';
import { SETTINGS } from './settings.ts';

const LINE_WIDTH = 120;

const HEADER = [
  'Every setting with its default, made from src/config/settings.ts by npm run docs -- settings. Copy this file to .env in the',
  'folder you start from and uncomment what you change. A variable of the environment wins over .env; docs/configuration.md',
  'says more.',
];

/** The contents of `.env.example`. Uncommented as a whole, it changes nothing. */
export function envExample(): string {
  const paragraphs = SETTINGS.map((setting: Setting) => {
    const parts = [
      setting.meaning,
      `${sentence(setting.kind.description)}.`,
      ...remarks(setting),
      ...modeDefaults(setting),
    ];
    const comment = wrap(parts.join(' '));
    return [...comment, `#${setting.name}=${plainDefault(setting) ?? ''}`].join('\n');
  });
  return `${[HEADER.map(line => `# ${line}`).join('\n'), ...paragraphs].join('\n\n')}\n`;
}

const BEGIN = '<!-- settings: made by npm run docs -- settings -->';
const END = '<!-- end of settings -->';

/** The page with its table of settings made anew between the two markers. */
export function withSettingsTable(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The page has no table between ${BEGIN} and ${END}.`);
  return `${page.slice(0, begin)}${BEGIN}\n${settingsTable()}\n${page.slice(end)}`;
}

function settingsTable(): string {
  const rows = SETTINGS.map((setting: Setting) => {
    const meaning = [setting.meaning, ...remarks(setting)].join(' ');
    return [code(setting.name), defaultCell(setting), setting.kind.description, meaning];
  });
  const table = [['variable', 'default', 'value', 'meaning'], ['---', '---', '---', '---'], ...rows];
  return table.map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

/** The default, unless the modes differ in it: copied into `.env`, the sandbox's would hold in live too. */
function plainDefault({ default: text, mode }: Setting): string | undefined {
  return typeof text === 'object' ? mode && text[mode] : text;
}

/** The defaults that `plainDefault` leaves out. */
function modeDefaults({ default: text, mode }: Setting): string[] {
  if (typeof text !== 'object' || mode !== undefined) return [];
  return [`Default: ${text.live ?? 'none'} in live, ${text.sandbox ?? 'none'} in a sandbox.`];
}

function defaultCell(setting: Setting): string {
  const { default: text, mode } = setting;
  if (typeof text === 'object' && mode === undefined) {
    const [live, sandbox] = [text.live, text.sandbox].map(given => (given === undefined ? 'none' : code(given)));
    return `live: ${live}, sandbox: ${sandbox}`;
  }
  const value = plainDefault(setting);
  return value === undefined ? 'not set' : code(value);
}

/** What follows from the row beside its meaning. */
function remarks(setting: Setting): string[] {
  const { name, mode, refusal, isSecret, group, inFile } = setting;
  const other = mode === 'live' ? 'a sandbox' : 'live';
  const together = SETTINGS.filter((row: Setting) => group !== undefined && row.group === group && row.name !== name);
  return [
    ...(mode === undefined
      ? []
      : [`For ${mode === 'live' ? mode : 'a sandbox'} only; ${other} ${refusal ? 'refuses' : 'ignores'} it.`]),
    ...(together.length > 0 ? [`Given together with ${together.map(row => row.name).join(' and ')}.`] : []),
    ...(inFile === undefined ? [] : [`In the file of TRILHO_CONFIG: ${inFile}.`]),
    ...(isSecret ? [`Secret: ${name}_FILE may name a file that holds it.`] : []),
  ];
}

const code = (text: string) => `\`${text}\``;

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Comment lines no longer than the limit. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
