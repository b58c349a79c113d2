// Starts a real browser: the one that TRILHO_TEST_BROWSER names, else the system's, else the one that npm brings along for Linux
// on x64.
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
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

/** For the `skip` of tests that need a browser: why they cannot run here, or false. */
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

/** The program of the browser, or the name of the package that has one. Throws when TRILHO_TEST_BROWSER names a file that is not there. */
export function findBrowser(): string | undefined {
  const named = process.env['TRILHO_TEST_BROWSER'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`TRILHO_TEST_BROWSER names ${named}, which is not there: ${HOW_TO_GET_ONE}.`);
  }
  return SYSTEM_BROWSERS.find(candidate => existsSync(candidate)) ?? (packageFile() ? PACKAGED : undefined);
}

/** The package's manifest. Its binary is for Linux on x64 alone, and an installation without development packages lacks it. */
function packageFile(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    return findPackageJSON(PACKAGED, import.meta.url);
  } catch {
    return undefined;
  }
}

/**
 * The binary inside of the package, unpacked once for each user of the machine, with the libraries and fonts that it needs. Files of the
 * deep tier start at the same time: each unpacks into a folder of its own, and the first one to be ready gives it the lasting name.
 */
async function unpackedProgram(): Promise<string> {
  const userId = process.getuid?.() ?? 0;
  const manifest = packageFile()!;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const folder = path.join(tmpdir(), `trilho-test-browser-${version}-${userId}`);
  if (!existsSync(folder)) {
    const draft = await mkdtemp(`${folder}-`);
    await unpackInto(draft, path.join(path.dirname(manifest), 'bin'));
    await writeFile(path.join(draft, 'fonts', 'fonts.conf'), fontsIn(folder));
    await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  }
  process.env['FONTCONFIG_PATH'] = path.join(folder, 'fonts');
  process.env['LD_LIBRARY_PATH'] = path.join(folder, 'al2023', 'lib');
  return path.join(folder, 'chromium');
}

/** The package unpacks into the folder for temporary files of the moment. */
async function unpackInto(folder: string, packedFiles: string): Promise<void> {
  const { default: packed, inflate } = await import(PACKAGED);
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = folder;
  try {
    await packed.executablePath();
    await inflate(path.join(packedFiles, 'al2023.tar.br'));
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
}

/** The package's own file names a folder that all users would share. */
function fontsIn(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`;
}
