// Failures: complete in a file, so that they can be sent again, and shortened on the screen.
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Exchange } from '../../test/harness/openapi.ts';
import type { Case } from './make-case.ts';
import { curlOf } from './send.ts';

type Failure = {
  readonly index: number;
  readonly url: string;
  readonly sent: Case;
  /** The answer, or why there was none. */
  readonly reply: Exchange | Error;
  readonly fault: string;
};

type Failures = {
  add(failure: Failure): void;
  count(): number;
  /** Each in short. */
  readonly messages: readonly string[];
  readonly file: string;
};

const FOLDER = path.join(import.meta.dirname, '..', 'data');
const SHOWN_LENGTH = 600;

export function keepFailures(seed: number): Failures {
  const file = path.join(FOLDER, `fuzz-seed-${seed}.txt`);
  const messages: string[] = [];
  rmSync(file, { force: true });
  return {
    add: failure => {
      mkdirSync(FOLDER, { recursive: true });
      appendFileSync(file, `${textOf(failure, Number.POSITIVE_INFINITY)}\n\n`);
      messages.push(textOf(failure, SHOWN_LENGTH));
    },
    count: () => messages.length,
    messages,
    file,
  };
}

function textOf({ index, url, sent, reply, fault }: Failure, length: number): string {
  const answer = reply instanceof Error ? '' : `\n${reply.status} ${reply.text.slice(0, length)}`;
  return `case ${index} (${sent.operation}): ${fault}\n${curlOf(url, sent).slice(0, length)}${answer}`;
}
