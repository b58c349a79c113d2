// One checkout as every payer may see it: in each language and colour scheme, on a phone and on the narrowest one.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { axeFaults, openPage, PHONE, sidewaysScroll } from './browser.ts';

/** When set, pictures of every state are saved in this folder. */
const PICTURES = process.env['TRILHO_TEST_PICTURES'];

const LANGUAGES = ['pt-BR', 'en'] as const;
const SCHEMES = ['light', 'dark'] as const;

/** Fails on a violation of accessibility, on sideways scroll and on a console error. `name` names the pictures. */
export async function assertGoodViews(url: string, name: string): Promise<void> {
  for (const locale of LANGUAGES) {
    for (const colorScheme of SCHEMES) {
      const { page, faults, close } = await openPage({ ...PHONE, locale, colorScheme });
      await page.goto(url);
      assert.equal(await page.locator('html').getAttribute('lang'), locale);
      assert.deepEqual(await axeFaults(page), [], `${locale} ${colorScheme}`);
      if (PICTURES) {
        mkdirSync(PICTURES, { recursive: true });
        const file = `${PICTURES}/${name.replaceAll(' ', '-')}-${locale}-${colorScheme}.png`;
        await page.screenshot({ path: file, fullPage: true });
      }
      await page.setViewportSize({ width: 320, height: 640 });
      assert.equal(await sidewaysScroll(page), 0, `${locale} ${colorScheme} at 320 px`);
      assert.deepEqual(faults, []);
      await close();
    }
  }
}
