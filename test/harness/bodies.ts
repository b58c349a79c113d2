// Valid request bodies, for tests that change one field.

export function chargeBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    accountId: 'acme',
    amountCents: 15_990,
    currency: 'BRL',
    methods: ['boleto', 'pix'],
    customer: { name: 'Maria da Silva', document: '529.982.247-25' },
    dueAt: '2026-12-10T23:59:59-03:00',
    ...changes,
  };
}
