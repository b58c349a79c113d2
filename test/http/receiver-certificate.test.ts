// The receiver's own certificate: its expiry is reported in time on the dashboard, in the metrics and by the doctor.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { createTlsServer, startRenewing, type TlsFiles } from '../../src/http/receiver-tls.ts';
import { watchHeartbeats } from '../../src/lib/heartbeats.ts';
import { runCommand } from '../harness/commands.ts';
import { textOf } from '../harness/dashboard.ts';
import { recordingLog } from '../harness/log.ts';
import { logIn } from '../harness/people.ts';
import { until } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';
import { assertToldInLog, filesIn, writePair } from './receiver-files.ts';

const DAY_MS = 86_400_000;

let folder: string;
let files: TlsFiles;
let env: Record<string, string>;
let service: Service;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-receiver-'));
  files = filesIn(folder);
  await endAt(new Date('2040-01-01T00:00:00Z'));
  env = { TRILHO_RECEIVER: JSON.stringify({ port: 0, ...files }) };
  service = await startService({ mode: 'live', env });
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const endAt = (notAfter: Date) => writePair(files, notAfter);

test('the first page of the dashboard shows a certificate from 30 days before its expiry until it is replaced', async () => {
  const { cookie } = await logIn(service, 'viewer');
  const page = async () =>
    textOf(await (await fetch(`${service.url}/dashboard`, { headers: { cookie, accept: 'text/html' } })).text());
  const inDays = (days: number) => new Date(service.clock.now().getTime() + days * DAY_MS);
  await endAt(inDays(31));
  assert.doesNotMatch(await page(), /Certificates/);
  await endAt(inDays(29));
  assert.match(await page(), /Certificates 1 .* receiver ends soon .* read within a minute/);
  await endAt(inDays(-1));
  assert.match(await page(), /receiver ended/);
  await writeFile(path.join(folder, 'receiver.pem'), 'half a file');
  assert.doesNotMatch(await page(), /Certificates/);
});

test('a metric has the expiry of the certificate', async () => {
  const end = new Date('2031-02-03T04:05:06Z');
  await endAt(end);
  const { text } = await service.get('/metrics');
  const line = `trilho_certificate_end_timestamp_seconds{certificate="receiver"} ${end.getTime() / 1000}`;
  assert.ok(text.includes(line), text.match(/^.*certificate_end.*$/gm)?.join('\n'));
});

test('the doctor reports how long a certificate is valid, and an error in its last two weeks', async () => {
  const doctor = async () => {
    const { said } = await runCommand(
      doctorCommand,
      { TRILHO_MODE: 'live', DATABASE_URL: service.databaseUrl, ...env },
      [],
    );
    return said.match(/^.*receiver: certificate.*$/m)?.[0] ?? '';
  };
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS + DAY_MS / 2);
  await endAt(inDays(40));
  assert.match(await doctor(), /^right {2}receiver: certificate: It is valid until .*, for 40 more days\.$/);
  await endAt(inDays(20));
  assert.match(
    await doctor(),
    /^warning .* for 20 more days\. Get another from its authority and replace receiver\.certif/,
  );
  await endAt(inDays(5));
  assert.match(await doctor(), /^wrong .* for 5 more days\. Get another/);
  await writeFile(path.join(folder, 'receiver.pem'), 'nothing');
  assert.match(await doctor(), /^wrong .* holds no certificate that can be read\./);
});

test('a certificate without its key is reported in the log and by the heartbeat', async t => {
  await endAt(new Date('2040-01-01T00:00:00Z'));
  const { renew } = createTlsServer(files, [], {}, () => {});
  await writeFile(files.privateKeyFile, 'half a key');
  const { log, lines } = recordingLog();
  const heartbeats = watchHeartbeats(() => 0);
  const renewing = startRenewing({ log, heartbeats }, renew);
  t.after(() => renewing.stop());
  const renewal = () => heartbeats.list().find(({ name }) => name === "reading the receiver's certificate");
  await until('the files to be read', () => (renewal()?.failures ?? 0) > 0);
  assertToldInLog(lines);
});
