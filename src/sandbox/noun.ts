// What the sandbox declares: its operations, which need no key.
import type { Noun } from '../noun.ts';

export const sandbox = {
  tags: [{ name: 'Sandbox', description: 'Sandbox only: pay charges, move the clock, inject faults into chains.' }],
  access: {
    // They are in a sandbox alone, which asks for no key.
    ofEveryone: [
      'POST /sandbox/banks/:agreement/files',
      'POST /sandbox/banks/:agreement/returns',
      'POST /sandbox/banks/:agreement/titles',
      'GET /sandbox/chains',
      'POST /sandbox/chains/:network',
      'GET /sandbox/chains/:network/transactions/:hash',
      'POST /sandbox/charges/:id/pay',
      'POST /sandbox/charges/:id/return',
      'POST /sandbox/disputes/:id/end',
      'GET /sandbox/clock',
      'POST /sandbox/clock',

      'POST /pay/:token/sandbox/:method',
    ],
  },
} as const satisfies Noun;
