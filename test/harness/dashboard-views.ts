// A page of the dashboard as an operator may see it: on a desktop and on a phone, in light and dark.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { axeFaults, sidewaysScroll } from './browser.ts';

export const DESK = { width: 1280, height: 900 };
const PHONE = { width: 320, height: 700 };
/** When set, pictures of every view are saved in this folder. */
const PICTURES = process.env['TRILHO_PICTURES'];

/** A table may scroll; the buttons of a row must be visible without scrolling. */
const BUTTONS_OUT_OF_SIGHT = `[...document.querySelectorAll('.scroll .button')].filter(button =>
  button.getBoundingClientRect().right > button.closest('.scroll').getBoundingClientRect().right + 1).length`;

/** Tabs that share the views, so that one loads while another is checked. */
const TABS = 3;

/** Everything that is wrong with these pages below /dashboard, each loaded once and checked in both sizes and both schemes. */
export async function wrongViews(first: Page, serviceUrl: string, views: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  const queue = [...views];
  const pages = [first, ...(await Promise.all(Array.from({ length: TABS - 1 }, () => first.context().newPage())))];
  await Promise.all(
    pages.map(async page => {
      for (let view = queue.pop(); view !== undefined; view = queue.pop()) {
        wrong.push(...(await wrongWith(page, `${serviceUrl}/dashboard${view}`, view)));
      }
    }),
  );
  return wrong.sort();
}

async function wrongWith(page: Page, url: string, view: string): Promise<string[]> {
  const wrong: string[] = [];
  const answer = await page.goto(url);
  if (answer?.status() !== 200) wrong.push(`${view}: ${answer?.status()}`);
  for (const [name, viewport] of Object.entries({ desk: DESK, phone: PHONE })) {
    await page.setViewportSize(viewport);
    const beyond = await sidewaysScroll(page);
    if (beyond > 0) wrong.push(`${view} on a ${name}: ${beyond} px too wide`);
    const cutOff: number = await page.evaluate(BUTTONS_OUT_OF_SIGHT);
    if (cutOff > 0) wrong.push(`${view} on a ${name}: ${cutOff} buttons of a table out of sight`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await axeFaults(page, colorScheme === 'dark' ? { only: 'colours' } : {});
      for (const fault of found) wrong.push(`${view} on a ${name} in ${colorScheme}: ${fault}`);
      if (PICTURES === undefined) continue;
      const file = `${name}-${colorScheme}-${view.replace(/[^\w]+/g, '_').slice(0, 24) || 'overview'}.png`;
      await writeFile(path.join(PICTURES, file), await page.screenshot({ fullPage: true }));
    }
  }
  return wrong;
}
