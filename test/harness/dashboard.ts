// The dashboard as a browser without JavaScript uses it: pages, and forms with their hidden fields.
import assert from 'node:assert/strict';
import { SAME_ORIGIN } from './people.ts';
import type { Service } from './service.ts';

/** In a live service a person is logged in, by a cookie. */
type Person = { readonly cookie?: string };

export async function view(service: Service, path: string, { cookie = '' }: Person = {}): Promise<string> {
  const answer = await fetch(`${service.url}/dashboard${path}`, { headers: { accept: 'text/html', cookie } });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
}

type FormFields = Readonly<Record<string, string | File>>;

/** Opens the page that asks for confirmation and sends its form. */
export async function submit(
  service: Service,
  path: string,
  fields: FormFields = {},
  person: Person = {},
): Promise<Response> {
  const page = await view(service, path, person);
  return sendForm(service, path, page, fields, person);
}

/** Sends the form of an open page with its hidden fields; a form with a file is sent as a browser does it. */
export function sendForm(
  service: Service,
  path: string,
  page: string,
  fields: FormFields = {},
  { cookie = '' }: Person = {},
): Promise<Response> {
  const body = page.includes('multipart/form-data') ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries({ ...hiddenFields(page), ...fields })) {
    if (body instanceof FormData) body.set(name, value);
    else body.set(name, String(value));
  }
  const headers = { ...SAME_ORIGIN, accept: 'text/html', cookie };
  return fetch(`${service.url}/dashboard${path}`, { method: 'POST', body, headers, redirect: 'manual' });
}

function hiddenFields(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}

/** The text of a page, without its tags. */
export function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}
