// The node:test reporter of a worker process: sends the results of each file to the run.
import { inspect } from 'node:util';
import type { Report, TestResult } from './messages.ts';

type Details = {
  readonly type?: string;
  readonly error?: Error & { readonly failureType?: string; readonly cause?: unknown };
};
type EventData = {
  readonly name: string;
  readonly nesting: number;
  readonly skip?: string | boolean;
  readonly details?: Details;
};
type Event = { readonly type: string; readonly data: EventData };

// biome-ignore lint/style/noDefaultExport: the test runner wants one.
export default async function* report(source: AsyncIterable<Event>): AsyncGenerator<string> {
  /** Names of the enclosing tests. The outermost is the file itself. */
  const path: string[] = [];
  let results: TestResult[] = [];
  for await (const { type, data } of source) {
    if (type === 'test:dequeue') send({ kind: 'begun', name: data.name });
    if (type === 'test:complete') send({ kind: 'ended', name: data.name });
    if (type === 'test:start') path.splice(data.nesting, path.length, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    results.push(...resultOf(type === 'test:fail', data, [...path.slice(1, data.nesting), data.name].join(' › ')));
    if (data.nesting > 0) continue;
    send({ kind: 'results', results });
    results = [];
    // Nothing of it is printed.
    yield '';
  }
}

function resultOf(isFailure: boolean, { nesting, skip, details }: EventData, name: string): TestResult[] {
  const { type, error } = details ?? {};
  if (isFailure) {
    // A test that failed only because of its subtests is not a failure of its own.
    return error?.failureType === 'subtestsFailed' ? [] : [{ name, failure: inspect(error?.cause ?? error) }];
  }
  if (skip) return [{ name, skip: typeof skip === 'string' ? skip : 'no reason is given' }];
  return nesting === 0 || type === 'suite' ? [] : [{ name }];
}

function send(report: Report): void {
  process.send?.(report);
}
