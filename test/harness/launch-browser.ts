// Starts a real browser: the one that TRILHO_TEST_BROWSER names, else the system's, else the one that npm brings along for Linux
// on x64.
import { existsSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
const PACKAGED = '@sparticuz/chromium';
const HOW_TO_GET_ONE =
  'install Chromium or Chrome (apt install chromium, brew install --cask chromium), or set TRILHO_TEST_BROWSER to the path of its program';

/** For `skip` of tests that need a browser: why they cannot run here. */
export const NO_BROWSER: string | false = findBrowser() ? false : `there is no browser: ${HOW_TO_GET_ONE}`;

export async function launchBrowser(): Promise<Browser> {
  const found = findBrowser();
  if (found === undefined) throw new Error(`There is no browser: ${HOW_TO_GET_ONE}.`);
  const executablePath = found === PACKAGED ? await unpackedProgram() : found;
  // A container has no user namespaces for Chromium's own sandbox, and its /dev/shm is small.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  try {
    return await chromium.launch({ executablePath, args });
  } catch (error) {
    throw new Error(`${executablePath} does not start as a browser: ${HOW_TO_GET_ONE}.`, { cause: error });
  }
}

/** The program of the browser, or the name of the package that has one. Throws when TRILHO_TEST_BROWSER names none. */
export function findBrowser(): string | undefined {
  const named = process.env['TRILHO_TEST_BROWSER'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`TRILHO_TEST_BROWSER names ${named}, which is not there: ${HOW_TO_GET_ONE}.`);
  }
  return SYSTEM_BROWSERS.find(candidate => existsSync(candidate)) ?? (isPackaged() ? PACKAGED : undefined);
}

/** Its binary is for Linux on x64 alone; an installation without development packages lacks it. */
function isPackaged(): boolean {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false;
  try {
    return findPackageJSON(PACKAGED, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

/** The binary inside of the package, unpacked once into the folder for temporary files, with the libraries that it needs. */
async function unpackedProgram(): Promise<string> {
  const { default: packed, inflate, setupLambdaEnvironment } = await import(PACKAGED);
  const folder = path.join(path.dirname(createRequire(import.meta.url).resolve(PACKAGED)), '..', 'bin');
  await inflate(path.join(folder, 'al2023.tar.br'));
  setupLambdaEnvironment(path.join(tmpdir(), 'al2023', 'lib'));
  return packed.executablePath();
}
