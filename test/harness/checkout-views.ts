// One checkout as every payer may see it: in each language and each scheme, on a phone and on the narrowest one.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { axeFaults, openPage, PHONE, sidewaysScroll } from './browser.ts';

/** A folder for pictures of every state, for those who want to look. */
const PICTURES = process.env['TRILHO_TEST_PICTURES'];

const LANGUAGES = ['pt-BR', 'en'] as const;
const SCHEMES = ['light', 'dark'] as const;

/** Fails on a fault for a screen reader, on sideways scroll and on what the console reports. `name` is that of the pictures. */
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
