// A request whose headers never end is answered when the service's timeout has passed.
import { test } from 'node:test';
import { recordingLog } from '../harness/log.ts';
import { startService } from '../harness/service.ts';
import { assertRawProblem } from './raw-problem.ts';

test('a request whose headers never end is answered with a problem', async t => {
  const { log, lines } = recordingLog();
  const service = await startService({ log });
  t.after(() => service.stop());
  const bytes = 'GET / HTTP/1.1\r\nHost: a\r\n';
  await assertRawProblem({ service, lines, bytes, status: 408, code: 'request_timeout' });
});
