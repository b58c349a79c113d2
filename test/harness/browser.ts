// A real browser for tests, shared by the tests of a file.
import { createRequire } from 'node:module';
import { after } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser } from './launch-browser.ts';

let launched: Promise<Browser> | undefined;

// At the top of the file: inside of a test it would close the browser with that test.
after(async () => (await launched)?.close());

/** One browser for the whole test file, closed after it. */
export function browser(): Promise<Browser> {
  launched ??= launchBrowser();
  return launched;
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
