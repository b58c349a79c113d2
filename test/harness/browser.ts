// A real browser for tests, shared by the tests of a file.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, type TestContext, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, NO_BROWSER } from './launch-browser.ts';

/** One browser for the whole test file, closed after it. */
const launched = NO_BROWSER ? undefined : launchBrowser();
after(async () => (await launched)?.close());

async function browser(): Promise<Browser> {
  return (await launched) ?? launchBrowser();
}

/** A test that needs a browser. Without one it is skipped, and the run prints what to install. */
export function browserTest(name: string, work: (t: TestContext) => Promise<void>): void {
  test(name, { skip: NO_BROWSER }, work);
}

/** The phone of a payer. */
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
} as const satisfies BrowserContextOptions;

type OpenPage = { readonly page: Page; readonly faults: readonly string[]; close(): Promise<void> };

/** How long a page may take for anything: a machine may lose most of its CPU for minutes. */
const PATIENCE_MS = 180_000;

/** A page in its own context; `faults` collects the console errors of its tabs, violations of the content policy included. */
export async function openPage(options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await (await browser()).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  context.on('console', message => {
    if (message.type() === 'error') faults.push(message.text());
  });
  context.on('weberror', error => faults.push(String(error.error())));
  return { page, faults, close: () => context.close() };
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let axeText: Promise<string> | undefined;
const axeSource = () => {
  axeText ??= readFile(AXE, 'utf8');
  return axeText;
};

/** The rules of axe about colours: the only ones whose result depends on the colour scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The violations that axe finds on a page, each as its rule and the elements. */
export async function axeFaults(page: Page, { only }: { readonly only?: 'colours' } = {}): Promise<string[]> {
  // Our content policy forbids foreign scripts, so axe is evaluated instead of added to the page.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(await axeSource());
  const options = only ? JSON.stringify({ runOnly: COLOUR_RULES }) : '';
  const found: { id: string; nodes: string[] }[] = await page.evaluate(`axe.run(${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target }) => String(target)) })))`);
  return found.map(({ id, nodes }) => `${id}: ${nodes.join(', ')}`);
}

/** By how many pixels the page is wider than the window. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
