// The template tag: every value is inserted as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes, html, markupOf, trusted } from '../../src/web/html.ts';

const HOSTILE = `"><script>alert('1')</script>&`;

test('a value is escaped in text and in a quoted attribute', () => {
  const markup = markupOf(html`<p title="${HOSTILE}">${HOSTILE}</p>`);
  assert.equal(markup.match(/</g)?.length, 2, 'the two tags of the template alone');
  assert.equal(markup.match(/"/g)?.length, 2, 'the two quotes of the template alone');
  assert.doesNotMatch(markup, /'/);
});

test('a template inside of a template is not escaped again, nor is a list of them', () => {
  const rows = ['a', '<b>'].map(text => html`<li>${text}</li>`);
  assert.equal(markupOf(html`<ul>${rows}</ul>`), '<ul><li>a</li><li>&lt;b&gt;</li></ul>');
  assert.equal(markupOf(html`${trusted('<svg/>')}`), '<svg/>');
});

test('undefined, null and false leave no trace; 0 does', () => {
  assert.equal(markupOf(html`${undefined}${null}${false}${0}`), '0');
});

test('attributes are escaped, omitted or written without a value', () => {
  assert.equal(markupOf(attributes({ a: HOSTILE, b: false, c: undefined, hidden: true, n: 1 })).match(/"/g)?.length, 4);
  assert.equal(markupOf(attributes({ b: false, hidden: true, n: 1 })), ' hidden n="1"');
});
