// One request, made from the document, a seed and a number. About half of them are valid; the others have one fault, or a few.
// Existing objects decide only which ids are in it: these are chosen by a generator of their own, so that the same seed and
// number repeat the same case, except for ids.
import { createHash } from 'node:crypto';
import type { OpenApi, Operation } from '../../test/harness/openapi.ts';
import { type Random, randomOf } from '../../test/harness/random.ts';
import { BAD_TEXTS, goodValue, type Schema, type Sources, spoiled } from './values.ts';

export type Case = {
  /** Valid by the document, as far as known. */
  readonly isGood: boolean;
  /** The operation that it was made for, such as `POST /charges`. */
  readonly operation: string;
  readonly method: string;
  /** The path as it is sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
};

/** Existing objects, by their noun: `charges`, `wallets`. */
export type KnownIds = ReadonlyMap<string, readonly string[]>;

type Parameter = { readonly name: string; readonly in: string; readonly schema: unknown };
type Described = { readonly method: string; readonly template: string; readonly operation: Operation };

/** A moved clock would affect every other case. */
const LEFT_OUT = new Set(['post /sandbox/clock']);
/** Without HEAD: what is refused before it is parsed has a body, and a caller who asked for none takes that for a fault. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Of ids, those that were found since the first case. The others are there in every run. */
const SINCE_SHARE = 0.3;
const NO_ID = '01a1e43a-7a00-71ca-82c0-7c939073f676';
const BAD_QUERIES = [
  '?',
  '&&&',
  'page=1&page=2',
  '%zz',
  'a[b]=1',
  '__proto__=1',
  'pageSize=%00',
  'from=&to=',
  '='.repeat(2_000),
];
const BAD_TYPES = ['text/plain', 'application/xml', 'application/json; charset=utf-16', 'multipart/form-data', '', 'x'];

export function operationsOf({ paths }: OpenApi): Described[] {
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations)
      .filter(([method]) => !LEFT_OUT.has(`${method} ${template}`))
      .map(([method, operation]) => ({ method, template, operation })),
  );
}

type CaseMaker = (index: number, known: KnownIds) => Case;

/** `prepared`: objects from before the first case, which are used throughout the run. */
export function caseMaker(document: OpenApi, seed: number, receiverUrl: string, prepared: KnownIds): CaseMaker {
  const operations = operationsOf(document);
  const resolve = ({ $ref, ...schema }: Schema): Schema =>
    $ref === undefined
      ? schema
      : ((document.components.schemas as Record<string, Schema>)[$ref.split('/').at(-1)!] ?? {});
  return (index, known) => {
    const random = randomOf(seed, index);
    const { method, template, operation } = random.pick(operations);
    const chances = new Map<string, Random>();
    const knownFor = (name: string) => {
      const chance = chances.get(name) ?? randomOf(seed + numberOf(name), index);
      chances.set(name, chance);
      const [before, since] = [prepared.get(name), known.get(name)];
      const isSince = chance.chance(SINCE_SHARE);
      const found = isSince ? (since ?? before) : (before ?? since);
      return found && chance.pick(found);
    };
    const idFor = (field: string) => knownFor(nounOf(field)) ?? knownFor(nounOf(template)) ?? NO_ID;
    const sources: Sources = { random, resolve, receiverUrl, idFor, knownFor };
    const parameters = (operation.parameters ?? []) as readonly Parameter[];
    const isGood = random.chance(0.5);
    const address = addressOf(template, parameters, sources, isGood);
    const query = queryOf(parameters, sources, isGood);
    const sent = bodyOf(operation, sources, isGood);
    const headers = { ...headersOf(parameters, sources, isGood), ...sent?.headers };
    return {
      isGood,
      operation: `${method.toUpperCase()} ${template}`,
      method: isGood || random.chance(0.97) ? method.toUpperCase() : random.pick(METHODS),
      path: query === '' ? address : `${address}?${query}`,
      headers,
      ...(sent && { body: sent.body }),
    };
  };
}

/** Another number for another name. */
function numberOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE();
}

/** `walletId` is an id of `wallets`, `/charges/{id}/cancel` has one of `charges`. */
export function nounOf(place: string): string {
  if (place.startsWith('/')) return place.replace('/sandbox', '').replace('/crypto', '').split('/')[1] ?? '';
  return place.endsWith('Id') ? `${place.slice(0, -2)}s`.replace(/ys$/, 'ies') : place;
}

function addressOf(template: string, parameters: readonly Parameter[], sources: Sources, isGood: boolean): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    if (!isGood && sources.random.chance(0.2)) return badPart(sources.random);
    const schema = parameters.find(({ name: given, in: place }) => given === name && place === 'path')?.schema ?? {};
    const value = name === 'id' ? sources.idFor(template) : goodValue(schema as Schema, sources, name);
    return encodeURIComponent(String(value));
  });
}

function queryOf(parameters: readonly Parameter[], sources: Sources, isGood: boolean): string {
  const { random } = sources;
  if (!isGood && random.chance(0.05)) return random.pick(BAD_QUERIES);
  const given = random.some(parameters.filter(({ in: place }) => place === 'query'));
  return given
    .map(({ name, schema }) => {
      const isBad = !isGood && random.chance(0.4);
      return `${encodeURIComponent(name)}=${isBad ? badPart(random) : encodeURIComponent(String(goodValue(schema as Schema, sources, name)))}`;
    })
    .join('&');
}

function badPart(random: Random): string {
  return random.pick(['%00', '%', '%zz', '%ff%fe', '..', '%2e%2e%2f', ...BAD_TEXTS.map(encoded)]);
}

/** Half of a character has no encoding: it stands there as the bytes that a careless client sends. */
function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

function headersOf(parameters: readonly Parameter[], { random }: Sources, isGood: boolean): Record<string, string> {
  const named = parameters.filter(({ in: place }) => place === 'header');
  const given = random
    .some(named)
    .map(({ name }) => [name, isGood ? `key-${random.below(100_000)}` : headerText(random)]);
  return Object.fromEntries([...given, ...(isGood || random.chance(0.9) ? [] : [['accept', headerText(random)]])]);
}

function headerText(random: Random): string {
  return random.pick(['', ' ', 'x'.repeat(4_000), '\u00e9', '0', '"', 'a,b', '-1']);
}

function bodyOf(operation: Operation, sources: Sources, isGood: boolean) {
  const { random } = sources;
  const [type, media] = random.pick(Object.entries(operation.requestBody?.content ?? { '': undefined }));
  if (media === undefined) return isGood || random.chance(0.9) ? undefined : { headers: {}, body: Buffer.from('{}') };
  const text = type.endsWith('json') ? jsonText(media.schema as Schema, sources, isGood) : fileText(sources);
  const headers = { 'content-type': isGood || random.chance(0.95) ? type : random.pick(BAD_TYPES) };
  return { headers, body: Buffer.from(text) };
}

function jsonText(schema: Schema, sources: Sources, isGood: boolean): string {
  const { random } = sources;
  const value = goodValue(schema, sources);
  if (isGood) return JSON.stringify(value);
  const text = JSON.stringify(random.chance(0.8) ? spoiled(value, random) : spoiled(spoiled(value, random), random));
  if (random.chance(0.9)) return text ?? 'null';
  const { length } = text ?? '';
  return random.pick([
    '',
    '{',
    text?.slice(0, random.below(length + 1)) ?? '',
    `${'['.repeat(20_000)}`,
    `{"a":${'{"a":'.repeat(500)}1${'}'.repeat(501)}`,
    text?.replace('{', '{"amountCents":1,"amountCents":2,') ?? '',
    `\ufeff${text}`,
    text?.replaceAll('"', "'") ?? '',
    '1e999',
    '{"amountCents":1e999}',
  ]);
}

function fileText({ random, knownFor }: Sources): string {
  return random.pick([
    knownFor('file') ?? '',
    '',
    'OFXHEADER:100',
    '<OFX>',
    'date;amount\n2026-11-01;10,00\n',
    'x'.repeat(241),
    '\u0000'.repeat(100),
  ]);
}
