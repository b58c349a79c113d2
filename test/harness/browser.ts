// A real browser for tests: the one that TRILHO_TEST_BROWSER names, else the system's, else the one that npm brings along on
// Linux. Without any the tests fail and say how to get one.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
const HOW_TO_GET_ONE =
  'These tests need Chromium or Chrome. Install one (apt install chromium, brew install --cask chromium), or set TRILHO_TEST_BROWSER to the path of its program.';

let launched: Promise<Browser> | undefined;

// At the top of the file: inside of a test it would close the browser with that test.
after(async () => (await launched)?.close());

/** One browser for the whole test file, closed after it. */
export function browser(): Promise<Browser> {
  launched ??= launch();
  return launched;
}

async function launch(): Promise<Browser> {
  const executablePath = await programOf();
  // A container has no user namespaces for Chromium's own sandbox, and its /dev/shm is small.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  try {
    return await chromium.launch({ executablePath, args });
  } catch (error) {
    throw new Error(`${executablePath} does not start as a browser. ${HOW_TO_GET_ONE}`, { cause: error });
  }
}

async function programOf(): Promise<string> {
  const named = process.env['TRILHO_TEST_BROWSER'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`TRILHO_TEST_BROWSER names ${named}, which is not there. ${HOW_TO_GET_ONE}`);
  }
  const ofSystem = SYSTEM_BROWSERS.find(candidate => existsSync(candidate));
  return ofSystem ?? unpackedProgram();
}

/** The binary inside of the package, unpacked once into the folder for temporary files, with the libraries that it needs. */
async function unpackedProgram(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error(`There is no browser. ${HOW_TO_GET_ONE}`);
  const { default: packed, inflate, setupLambdaEnvironment } = await import('@sparticuz/chromium');
  const folder = path.join(path.dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'bin');
  await inflate(path.join(folder, 'al2023.tar.br'));
  setupLambdaEnvironment(path.join(tmpdir(), 'al2023', 'lib'));
  return packed.executablePath();
}

/** A phone in the hand of a payer. */
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
} as const satisfies BrowserContextOptions;

export type OpenPage = { readonly page: Page; readonly faults: readonly string[]; close(): Promise<void> };

/** A page of its own context; `faults` gathers what the console reports as an error, refusals of the policy included. */
export async function openPage(options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await (await browser()).newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', error => faults.push(String(error)));
  return { page, faults, close: () => context.close() };
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds wrong with a page, each as its rule and the elements; none is the aim. */
export async function axeFaults(page: Page): Promise<string[]> {
  // Our policy forbids scripts of others, so it is evaluated instead of added to the page.
  const { readFile } = await import('node:fs/promises');
  await page.evaluate(await readFile(AXE, 'utf8'));
  const found: { id: string; nodes: string[] }[] = await page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target }) => String(target)) })))`);
  return found.map(({ id, nodes }) => `${id}: ${nodes.join(', ')}`);
}

/** By how many pixels the page is wider than the window. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
