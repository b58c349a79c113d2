// Money in reais: payments, statements, files of banks, rails.
import { type Commands, USES_DATABASE } from './entry.ts';

export const CHARGES: Commands = [
  [
    'pay',
    {
      summary: 'record a payment of a charge',
      help: [
        'trilho pay <charge id> <cents> <reference> [<method>] [<when>] [--another]',
        '',
        "<reference>  the bank's id of the payment, which counts once",
        '<method>     pix or boleto; pix when absent',
        '<when>       such as 2026-12-10T12:00:00-03:00; now when absent',
        '--another    it is not the payment of the same amount that the charge has under another reference',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('../pay.ts')).payCommand,
    },
  ],
  [
    'due',
    {
      summary: 'change the due date of an unpaid charge',
      help: [
        'trilho due <charge id> <day>',
        '',
        '<day>  such as 2026-12-20, in São Paulo; the end of the charge moves by as many days',
        '',
        'A bank that is told by files is asked by the next one; its answer decides.',
        USES_DATABASE,
      ],
      load: async () => (await import('../due.ts')).dueCommand,
    },
  ],
  [
    'checkout',
    {
      summary: 'print the link to the checkout of a charge, or withdraw it',
      help: [
        'trilho checkout link <charge id>',
        'trilho checkout withdraw <link>',
        '',
        'withdraw  the link opens nothing any more; it prints the new one. A repeat withdraws no other',
        '',
        'Links begin with TRILHO_PUBLIC_URL.',
        USES_DATABASE,
      ],
      load: async () => (await import('../checkout.ts')).checkoutCommand,
    },
  ],
  [
    'payer',
    {
      summary: 'print what is kept of a payer, or erase what names them (LGPD)',
      help: [
        'trilho payer export <CPF or CNPJ>',
        'trilho payer erase <CPF or CNPJ>',
        '',
        'export  one JSON object a line: charges, events, payments, receipts, notifications of banks, declarations about wallets',
        'erase   puts «erased» and zeros in their place; money, days, ledger and audit log stay. Refused while a charge can still',
        '        be paid. Not in files for banks, backups and what webhooks have received.',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('../payer.ts')).payerCommand,
    },
  ],
  [
    'import',
    {
      summary: 'record payments from a bank statement (OFX or CSV)',
      help: [
        'trilho import <file> [--debits-have-minus]',
        '',
        '<file>  a name that ends in .ofx or .csv. Exit code 1 when some of its lines cannot be read.',
        '--debits-have-minus  the bank writes a minus before each debit, so a CSV without any has only credits',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('../import.ts')).importCommand,
    },
  ],
  [
    'cnab',
    {
      summary: 'write files of boletos (CNAB 240) for banks, read theirs; explain a file and what is wrong with it',
      help: [
        'trilho cnab check <file> [--problems]',
        'trilho cnab write [<agreement>] [--folder <folder>] [--file <number>]',
        'trilho cnab read <file> [--agreement <agreement>]',
        'trilho cnab exchange [<agreement>]',
        '',
        'check  prints every field with what it says. Exit code 1 when something is wrong. It needs no database.',
        '  <file>        from a bank or to it, of any bank; 001, 033, 104, 237, 341 and 756 by their own layouts',
        '  --problems    print only what is wrong',
        'write  makes files of all that waits to be told to the bank, and puts them into a folder',
        '  <agreement>   a name in boletos of TRILHO_CONFIG; may be absent when there is one',
        '  <folder>      sendFolder of the agreement when absent',
        '  --file        once more the file of this number, which is the same; makes none',
        'read   books what a bank says in a file: registered, rejected, paid, written off, reversed. The same file again is booked',
        '       once. Exit code 1 when something of it needs a person.',
        '  --agreement   whose file it is, where the file itself does not tell',
        'exchange  meets the SFTP server of the agreement now: reads the returns that are new there, and sends all that waits.',
        '       Exit code 1 when a file there is no return of the agreement.',
        '',
        'write, read and exchange use the database that the service made, name it on standard error, and make none.',
      ],
      load: async () => (await import('../cnab.ts')).cnabCommand,
    },
  ],
  [
    'rails',
    {
      summary: 'list rails with their health, or register a webhook at a PSP',
      help: [
        'trilho rails',
        'trilho rails register-webhook <rail>',
        '',
        '<rail>  a name in rails of TRILHO_CONFIG, such as efi:main',
        '',
        'It asks the PSPs. register-webhook tells the PSP to notify of payments at webhook.url of the rail; some PSPs call that',
        'address at once, so let the service run.',
        USES_DATABASE,
      ],
      load: async () => (await import('../rails.ts')).railsCommand,
    },
  ],
  [
    'reconcile',
    {
      summary: "compare a PSP's record of a day with the payments here",
      help: [
        'trilho reconcile --day <day> [--rail <rail>]',
        '',
        '<day>   such as 2026-11-16, in São Paulo',
        '<rail>  a name in rails of TRILHO_CONFIG; all of them when absent',
        '',
        'It prints every difference and changes nothing. Exit code 1 when something differs.',
        USES_DATABASE,
      ],
      load: async () => (await import('../reconcile.ts')).reconcileCommand,
    },
  ],
];
