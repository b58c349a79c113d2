// Pages with one sentence: an unknown link, too many attempts, an unavailable service. They show nothing about any charge.
import type { Assets } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { LANGUAGES, type Language } from '../language.ts';
import { layout } from '../layout.ts';
import { CHECKOUT_TEXTS } from './texts.ts';

export type PlainPage = 'badLink' | 'tooMany' | 'unavailable';
type PlainPages = (page: PlainPage, language: Language) => Html;

/** Rendered once: a flood of wrong links must cost little. */
export function plainPages(assets: Assets): PlainPages {
  const made = new Map<string, Html>();
  for (const language of LANGUAGES) {
    for (const page of ['badLink', 'tooMany', 'unavailable'] as const) {
      const [heading = '', sentence] = CHECKOUT_TEXTS[language][page];
      const body = html`<main><section class="card status plain"><h1>${heading}</h1><p>${sentence}</p></section></main>`;
      const whole = { language, title: heading, style: 'checkout.css', script: 'checkout.js', body } as const;
      made.set(`${page} ${language}`, layout(assets, whole));
    }
  }
  return (page, language) => made.get(`${page} ${language}`) ?? html``;
}
