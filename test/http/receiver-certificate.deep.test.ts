// The receiver of a running service rereads its certificate by itself.
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { recordingLog } from '../harness/log.ts';
import { ASK_AGAIN_MS, ownFolder, until } from '../harness/process.ts';
import { startService } from '../harness/service.ts';
import { assertToldInLog, filesIn, writePair } from './receiver-files.ts';

test('a certificate that no longer matches its key is reported in the log and by the heartbeat', async t => {
  const files = filesIn(await ownFolder(t));
  await writePair(files, new Date('2040-01-01T00:00:00Z'));
  const env = { TRILHO_RECEIVER: JSON.stringify({ port: 0, ...files }) };
  const { log, lines } = recordingLog();
  const service = await startService({ mode: 'live', env, log });
  t.after(() => service.stop());
  const renewal = async () => {
    const { loops } = (await service.get('/readyz?verbose')).json;
    return loops.find(({ name }: { name: string }) => name === "reading the receiver's certificate");
  };
  await writeFile(files.privateKeyFile, 'half a key');
  lines.length = 0;
  const before = (await renewal()).failures;
  await until('the files to be read', async () => (await renewal()).failures > before, ASK_AGAIN_MS);
  assertToldInLog(lines);
});
