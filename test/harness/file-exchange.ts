// A live service whose boletos go to a bank by file, and both ends of the exchange, on the clock of the test.

import type { Agreement } from '@trilho/cnab';
import { fileParts, makeFile } from '../../src/charges/bank-files/make-file.ts';
import { type OfferedFile, offerFiles } from '../../src/charges/bank-files/offer-files.ts';
import { type ReadReturn, readReturn } from '../../src/charges/bank-files/read-return.ts';
import type { BoletoFile } from '../../src/charges/bank-files/store-files.ts';
import { startDecisionBatches } from '../../src/charges/issue/decide.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { startPaymentBatches } from '../../src/charges/receive/pay.ts';
import { takeReceipt } from '../../src/charges/receive/receipts.ts';
import { sweepCharges } from '../../src/charges/sweep.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import type { Log } from '../../src/lib/log.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { txidOf } from '../../src/rails/br-code.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import type { Receipt } from '../../src/rails/rail.ts';
import { connect } from '../../src/storage/connect.ts';
import type { Database } from '../../src/storage/database.ts';
import { agreementEntry, boletoBody } from './agreements.ts';
import { silentLog } from './log.ts';
import { type Answer, type Service, startService } from './service.ts';

const PIX_KEY = { TRILHO_PIX_KEY: 'pix@example.com', TRILHO_PIX_NAME: 'Acme', TRILHO_PIX_CITY: 'Recife' };

/** A boleto that was sent to the bank in a file. */
export type SentBoleto = {
  readonly charge: Answer['json'];
  readonly reference: string;
  /** The field of the nosso número as the file has it. */
  readonly number: string;
};

export type FileExchangeBench = {
  readonly service: Service;
  make(): Promise<BoletoFile | undefined>;
  /** Makes files of the waiting boletos and puts them into a folder. */
  offer(folder: string): Promise<readonly OfferedFile[]>;
  textOf(sequence: number): Promise<string>;
  read(bytes: Buffer, agreement?: string): Promise<ReadReturn>;
  /** Reads a return with a database that may fail. */
  readThrough(change: (db: Database) => Database, bytes: Buffer): Promise<ReadReturn>;
  /** Records a pix as a PSP reports it. */
  takePix(
    receipt: Pick<Receipt, 'reference' | 'requestReference' | 'amountCents'> & Partial<Pick<Receipt, 'returns'>>,
  ): Promise<boolean>;
  /** Creates charges, and a file with them. */
  send(...changes: Record<string, unknown>[]): Promise<SentBoleto[]>;
  /** Handles the timers of charges that are due. */
  sweep(): Promise<number>;
  /** A charge as it is now. */
  charge(of: SentBoleto): Promise<Answer['json']>;
  stop(): Promise<void>;
};

/** `others` are further agreements. */
export async function startFileExchange(
  agreement: string | Agreement,
  changes: Partial<AgreementEntry> = {},
  others: readonly AgreementEntry[] = [],
  log: Log = silentLog,
): Promise<FileExchangeBench> {
  const boletos = [agreementEntry(agreement, changes), ...others];
  const rail = boletos[0]!.name;
  const env = { ...PIX_KEY, TRILHO_RATE_LIMIT: '0', TRILHO_BOLETOS: JSON.stringify(boletos) };
  const service = await startService({ mode: 'live', env, now: '2026-11-17T12:00:00Z', log });
  const { clock } = service;
  const { rails } = liveRails({ rails: [], boletos }, { clock, log: silentLog });
  const db = await connect({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  const queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
  const links = await openLinks(db, () => service.url);
  const writing = {
    db,
    queue,
    links,
    chargeFollowers: CHARGE_FOLLOWERS,
    rails,
    clock,
    log: silentLog,
    disputeDays: 11,
  };
  const readingOver = (over: Database) => {
    const deps = { ...writing, db: over };
    return { ...deps, paymentBatches: startPaymentBatches(deps), decisionBatches: startDecisionBatches(deps) };
  };
  const reading = readingOver(db);
  const textOf = async (sequence: number) => {
    const parts: Buffer[] = [];
    for await (const part of fileParts(db, { rail, sequence })) parts.push(part);
    return Buffer.concat(parts).toString('latin1');
  };
  const make = () => makeFile(writing, rail);
  return {
    service,
    make,
    offer: folder => offerFiles(writing, rail, folder),
    textOf,
    read: (bytes, agreement) => readReturn(reading, bytes, agreement),
    readThrough: (change, bytes) => readReturn(readingOver(change(db)), bytes),
    takePix: receipt =>
      takeReceipt(
        reading,
        { rail: rails.pix, names: [rails.pix.name] },
        { paidAt: clock.now(), returns: [], ...receipt },
      ),
    send: async (...bodies) => {
      const charges: Answer['json'][] = [];
      for (const body of bodies) charges.push((await service.post('/charges', boletoBody(body))).json);
      await service.runJobs();
      const made = await make();
      const titles = (await textOf(made?.sequence ?? 0)).split('\r\n').filter(line => line[13] === 'P');
      const references = await service.sql<{ charge_id: string; reference: string }>(
        `select charge_id, reference from charge_methods where method = 'boleto' and charge_id = any($1)`,
        [charges.map(({ id }) => id)],
      );
      return charges.map(charge => {
        const reference = references.find(({ charge_id }) => charge_id === charge.id)?.reference ?? '';
        const number = titles.find(line => line.includes(txidOf(charge.id)))?.slice(37, 57) ?? '';
        return { charge, reference, number };
      });
    },
    sweep: () => sweepCharges(writing, clock.now()),
    charge: async ({ charge }) => (await service.get(`/charges/${charge.id}`)).json,
    stop: async () => {
      await queue.stop();
      await db.close();
      await service.stop();
    },
  };
}
