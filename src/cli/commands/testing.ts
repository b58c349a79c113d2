// For trying the service: a demo, events, a simulated PSP, a test node.
import type { Commands } from './entry.ts';

export const TESTING: Commands = [
  [
    'demo',
    {
      summary: 'start a sandbox and watch one order go from its charge to the crypto in the wallet',
      help: [
        'trilho demo',
        '',
        'It creates an order, pays its charge by pix, receives the webhooks, and moves the clock until the transfer is final. Then',
        'it prints a link for each of them and runs until it is stopped. It listens on PORT, uses no other setting, and',
        'keeps its data in a temporary folder that is removed at the end.',
      ],
      isService: true,
      load: async () => (await import('../demo.ts')).demoCommand,
    },
  ],
  [
    'listen',
    {
      summary: 'forward events of a running service to a local port',
      help: [
        'trilho listen --forward <url> [--types <type,type,…>] [--url <url>] [--key <key>]',
        '',
        '--forward  where events are sent, such as http://localhost:4000/hook',
        '--types    only these, such as charge.paid',
        '--url      the service; http://127.0.0.1:3000 when absent',
        '--key      an API key with the scope events:read, for a live service',
      ],
      load: async () => (await import('../listen.ts')).listenCommand,
    },
  ],
  [
    'trigger',
    {
      summary: 'cause an event in a running sandbox',
      help: [
        'trilho trigger <event> [--url <url>]',
        'trilho trigger --list',
        '',
        '--url   the service; http://127.0.0.1:3000 when absent',
        '--list  print the events that can be caused',
      ],
      load: async () => (await import('../trigger.ts')).triggerCommand,
    },
  ],
  [
    'psp',
    {
      summary: 'start a simulated PSP to test pix against',
      help: [
        'trilho psp [--port <port>] [--control-port <port>] [--folder <folder>] [--profile <profile>]',
        '',
        '--port          of the Pix API; 8443 when absent, 0 for a free one',
        '--control-port  of the control API (payer, faults, clock); 8444 when absent, 0 for a free one',
        '--folder        keeps keys and certificates; psp-keys when absent',
        '--profile       bacen (the plain norm) when absent, or efi, itau, bb, santander, bradesco, sicoob, sicredi,',
        '                inter, banrisul, c6',
        '',
        'It listens on this machine only and needs no database. It keeps its state in memory and loses it when it stops.',
        'The control API pays charges (POST /pay), takes payments back as a payer may ask their bank (POST /med, the MED), and more.',
      ],
      isService: true,
      load: async () => (await import('../psp.ts')).pspCommand,
    },
  ],
  [
    'chain',
    {
      summary: 'start a test node with test tokens to send crypto on',
      help: [
        'trilho chain [--network <network>] [--port <port>] [--block-seconds <seconds>] [--folder <folder>]',
        '',
        '--network        which network it stands for: polygon when absent, or ethereum, base, arbitrum, bsc',
        '--port           8545 when absent, 0 for a free one',
        '--block-seconds  the time between blocks; 2 when absent',
        '--folder         keeps the chain and the key of the sender; test-chain when absent',
        '',
        "It starts Hardhat's node, or Foundry's anvil when only that is installed, on this machine only, prints the settings for a",
        'service, and needs no database.',
      ],
      isService: true,
      load: async () => (await import('../chain.ts')).chainCommand,
    },
  ],
];
