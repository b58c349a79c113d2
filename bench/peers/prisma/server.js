// Both operations as a small team would write them: Express, zod and Prisma, count with skip and take. No events, no jobs, no
// ledger, no API keys, and the unique key refuses a repeat: it does less than the service does.
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';
import express from 'express';
import { z } from 'zod';

const PAGE_SIZE = 20;

const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL, max: 20 }),
  // The default timeout of five seconds is too short for a page of a large table on a busy machine.
  transactionOptions: { maxWait: 60_000, timeout: 60_000 },
});
const app = express();
app.use(express.json({ limit: '64kb' }));

const ListQuery = z.strictObject({
  accountId: z.string().min(1).max(255).optional(),
  symbol: z.enum(['usdt', 'usdc', 'trx', 'eth']).optional(),
  status: z
    .enum(['pending_payment', 'pending_fulfillment', 'fulfillment_scheduled', 'fulfilling', 'fulfilled'])
    .optional(),
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(PAGE_SIZE),
});

app.get('/crypto/transactions', async (request, response) => {
  const query = ListQuery.safeParse(request.query);
  if (!query.success) return response.status(400).json({ errors: query.error.issues });
  const { accountId, symbol, status, from, to, page, pageSize } = query.data;
  const where = { accountId, symbol, status, createdAt: { gte: from, lte: to } };
  const [total, rows] = await prisma.$transaction([
    prisma.cryptoTransaction.count({ where }),
    prisma.cryptoTransaction.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: (page - 1) * pageSize,
      take: pageSize,
    }),
  ]);
  const totalPages = Math.ceil(total / pageSize);
  const transactions = rows.map(({ id, accountId: _, quantity, cost, price, ...rest }) => ({
    transactionId: id,
    quantity: quantity.toNumber(),
    cost: cost.toNumber(),
    price: price.toNumber(),
    ...rest,
  }));
  response.json({ transactions, total, totalPages, currentPage: page, hasMore: page < totalPages });
});

const text = z.string().min(1).max(255);
const Charge = z.strictObject({
  accountId: text,
  externalId: text.optional(),
  sourceKey: text.optional(),
  amountCents: z.number().int().min(1),
  currency: z.enum(['BRL', 'USD', 'EUR']),
  methods: z.array(z.enum(['boleto', 'pix'])).min(1),
  customer: z.strictObject({
    name: text,
    document: text,
    type: text.optional(),
    address: z.record(z.string(), z.string()).optional(),
  }),
  taxes: z.strictObject({ fine: z.number().min(0).optional(), interest: z.number().min(0).optional() }).optional(),
  dueAt: z.iso.datetime({ offset: true }),
  expireAt: z.iso.datetime({ offset: true }).optional(),
});

app.post('/charges', async (request, response) => {
  const body = Charge.safeParse(request.body);
  if (!body.success) return response.status(400).json({ errors: body.error.issues });
  const { methods, ...data } = body.data;
  const charge = await prisma.charge.create({
    data: {
      ...data,
      methods: {
        create: [...new Set(methods)].map(method => ({
          method,
          status: 'CREATING',
          emv: method === 'pix' ? pixCode(data.amountCents) : null,
        })),
      },
    },
    include: { methods: true },
  });
  const results = charge.methods.map(({ method, status, emv }) => [
    method,
    { success: true, status, ...(emv && { emv }) },
  ]);
  response.status(201).json({ id: charge.id, ...Object.fromEntries(results) });
});

app.get('/readyz', async (_request, response) => {
  await prisma.$queryRaw`select 1`;
  response.json({ status: 'ok' });
});

/** A BR Code with an invented key. */
function pixCode(amountCents) {
  const field = (id, value) => id + String(value.length).padStart(2, '0') + value;
  const account = field('00', 'br.gov.bcb.pix') + field('01', 'prisma@example.com');
  const amount = (amountCents / 100).toFixed(2);
  const code = [
    field('00', '01') + field('26', account) + field('52', '0000') + field('53', '986') + field('54', amount),
    field('58', 'BR') + field('59', 'PRISMA') + field('60', 'SAO PAULO') + field('62', field('05', '***')),
  ].join('');
  return `${code}6304${crc16(`${code}6304`)}`;
}

function crc16(text) {
  let crc = 0xffff;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at) << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return (crc & 0xffff).toString(16).toUpperCase().padStart(4, '0');
}

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listens on http://127.0.0.1:${server.address().port}\n`);
});
