// Every command: what the help says of it, and where it is. Nothing here loads a command, so that help stays quick.
import type { Config } from '../config/config.ts';
import type { Settings } from '../config/read.ts';
import type { Log } from '../lib/log.ts';

export type Command = (config: Config, log: Log, args: readonly string[], settings: Settings) => Promise<number>;

export type CommandEntry = {
  readonly summary: string;
  /** The lines of its help, below the summary. */
  readonly help: readonly string[];
  /** It takes settings only. */
  readonly takesNothing?: boolean;
  /** Each command loads only its own modules: those of the service alone take half a second of CPU. */
  load(): Promise<Command>;
};

const USES_DATABASE = 'It uses the database that the service made, names it on standard error, and makes none.';

export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map([
  [
    'serve',
    {
      summary: 'start the service (what npm start does)',
      help: ['trilho serve', '', 'It makes the database if there is none, and brings its schema up to date.'],
      takesNothing: true,
      load: async () => (await import('./serve.ts')).serve,
    },
  ],
  [
    'accounts',
    {
      summary: 'open an account, list them, or set how checkouts look',
      help: [
        'trilho accounts create <id>',
        'trilho accounts list',
        'trilho accounts settings <id> [--name <words>] [--document <CPF or CNPJ>] [--colour <#rrggbb>] [--logo <file>]',
        '                             [--return-url <url>] [--support-url <url>] [--frame-origins <origin,origin,…>]',
        '',
        'settings  changes what is given, «none» removes it, and prints the settings',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('./accounts.ts')).accountsCommand,
    },
  ],
  [
    'keys',
    {
      summary: 'create, list or revoke API keys',
      help: [
        'trilho keys create --account <id> --scopes <scope,scope,…|all> [--name <words>] [--expires <time>]',
        'trilho keys list [--account <id>]',
        'trilho keys revoke <id, prefix or key>',
        '',
        '<time>  a length such as P90D, or a day such as 2027-03-01 in São Paulo',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('./keys.ts')).keysCommand,
    },
  ],
  [
    'people',
    {
      summary: 'invite people to the dashboard, list or remove them',
      help: [
        'trilho people invite --role <viewer|support|operator|owner> --name <words> [--account <id>]',
        'trilho people list [--account <id>]',
        'trilho people login <person id>',
        'trilho people remove <person id>',
        '',
        '--account  the one account that the person works for; all of them when absent',
        '',
        'invite and login print a link under TRILHO_PUBLIC_URL, alone on standard output. It counts once: an invitation for a',
        'day, a login for 15 minutes. remove ends every session of the person.',
        USES_DATABASE,
      ],
      load: async () => (await import('./people.ts')).peopleCommand,
    },
  ],
  [
    'wallets',
    {
      summary: 'list, approve or block wallets; what screening works with',
      help: [
        'trilho wallets list [--account <id>]',
        'trilho wallets approve <wallet id>',
        'trilho wallets block <wallet id>',
        'trilho wallets unblock <wallet id>',
        'trilho wallets screening',
        '',
        'block refuses the address of the wallet to every account, on every network. screening prints date and digest of the',
        'list, and the newest hits.',
        USES_DATABASE,
      ],
      load: async () => (await import('./wallets.ts')).walletsCommand,
    },
  ],
  [
    'audit',
    {
      summary: 'verify: is the audit log whole?',
      help: [
        'trilho audit verify [<position> <hash>]',
        '',
        'Position and hash are those that an earlier run printed. Exit code 1 when the log is broken.',
        USES_DATABASE,
      ],
      load: async () => (await import('./audit.ts')).auditCommand,
    },
  ],
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
      load: async () => (await import('./pay.ts')).payCommand,
    },
  ],
  [
    'checkout',
    {
      summary: 'print the link to the checkout of a charge, or withdraw it',
      help: [
        'trilho checkout link <charge id>',
        'trilho checkout withdraw <charge id>',
        '',
        'withdraw  the links before open nothing any more; it prints the new one',
        '',
        'Links begin with TRILHO_PUBLIC_URL.',
        USES_DATABASE,
      ],
      load: async () => (await import('./checkout.ts')).checkoutCommand,
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
      load: async () => (await import('./import.ts')).importCommand,
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
        '',
        'write and read use the database that the service made, name it on standard error, and make none.',
      ],
      load: async () => (await import('./cnab.ts')).cnabCommand,
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
      load: async () => (await import('./rails.ts')).railsCommand,
    },
  ],
  [
    'signer',
    {
      summary: 'make a key that payouts are signed with, or print its addresses',
      help: [
        'trilho signer create --file <keystore> --password-file <file>',
        'trilho signer import --file <keystore> --password-file <file> [--key-file <file>]',
        'trilho signer address --file <keystore> [--password-file <file>]',
        'trilho signer address <name>',
        '',
        '--file           the keystore; create and import write it and replace none',
        '--password-file  a file with the password',
        '--key-file       a file with the private key, 64 hexadecimal digits; standard input when absent',
        '<name>           a name in signers of TRILHO_CONFIG',
        '',
        'It prints the addresses of the key on EVM networks and on Tron, and no secret. It needs no database.',
      ],
      load: async () => (await import('./signer.ts')).signerCommand,
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
      load: async () => (await import('./reconcile.ts')).reconcileCommand,
    },
  ],
  [
    'payouts',
    {
      summary: 'list, pause and approve payouts, give up a transfer, resume a halted sender, sweep to the cold address',
      help: [
        'trilho payouts list [--network <network>] [--state <state>] [--account <id>] [--page <page>]',
        'trilho payouts show <payout or transaction id>',
        'trilho payouts pause [--network <network>] [--asset <asset>] [--reason <words>]',
        'trilho payouts resume [--network <network>] [--asset <asset>]',
        'trilho payouts resume <network> <sender>',
        'trilho payouts approve <transaction id>',
        'trilho payouts void <payout or transaction id>',
        'trilho payouts settle <transaction id> --as <delivered|returned>',
        'trilho payouts sweep --network <network> --asset <asset> [--amount <amount|all>]',
        '',
        'list    newest first, 100 a page: when, state, network, amount, address, transaction id, hash',
        'pause   no order takes a slot from then on; transfers that have begun go on',
        'resume  ends the pause of exactly this scope; with a sender, after its key was used elsewhere and is safe: it takes',
        '        slots again',
        'approve lets an order go on that is held as approval_needed or over_payout_limit; it is sent in its turn',
        'void    uses the slot of a transfer up with a transaction that moves nothing; the order is held then',
        'settle  ends the hold transfer_mismatched: what arrived is taken as the whole, or the payment may go back',
        'sweep   sends to payouts.coldAddresses what payouts and orders in line do not need: what is above the ceiling, an amount,',
        '        or all',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('./payouts.ts')).payoutsCommand,
    },
  ],
  [
    'receipt',
    {
      summary: 'print the signed receipt of a payout, or verify one without the service',
      help: [
        'trilho receipt get <payout or transaction id>',
        'trilho receipt verify <file> [--key <key id>]',
        '',
        '--key  the id of the key that must have signed it, as /receipts/keys of the service lists it',
        '',
        'verify prints what was signed, and needs neither database nor network. Exit code 1 when the receipt is not valid.',
        'get uses the database that the service made, names it on standard error, and makes none.',
      ],
      load: async () => (await import('./receipt.ts')).receiptCommand,
    },
  ],
  [
    'chains',
    {
      summary: 'how the networks stand: nodes, lag, balances, nonces, open slots',
      help: [
        'trilho chains',
        '',
        'It asks the nodes, and prints the alarms that are raised. Exit code 1 when a node does not answer, a sender is halted or',
        'an alarm is raised.',
        USES_DATABASE,
      ],
      load: async () => (await import('./chains.ts')).chainsCommand,
    },
  ],
  [
    'ledger',
    {
      summary: 'check: are the books right?',
      help: [
        'trilho ledger check [--chains]',
        '',
        '--chains  also asks every configured network: what left our senders must be in the books, and the other way round',
        '',
        'Exit code 1 when something differs, or a network does not answer.',
        USES_DATABASE,
      ],
      load: async () => (await import('./ledger.ts')).ledgerCommand,
    },
  ],
  [
    'listen',
    {
      summary: 'send events of a running service on to a local port',
      help: [
        'trilho listen --forward <url> [--types <type,type,…>] [--url <url>] [--key <key>]',
        '',
        '--forward  where events are sent to, such as http://localhost:4000/hook',
        '--types    only these, such as charge.paid',
        '--url      the service; http://127.0.0.1:3000 when absent',
        '--key      an API key with the scope events:read, for a live service',
      ],
      load: async () => (await import('./listen.ts')).listenCommand,
    },
  ],
  [
    'trigger',
    {
      summary: 'make an event happen in a running sandbox',
      help: [
        'trilho trigger <event> [--url <url>]',
        'trilho trigger --list',
        '',
        '--url   the service; http://127.0.0.1:3000 when absent',
        '--list  print the events that can be made to happen',
      ],
      load: async () => (await import('./trigger.ts')).triggerCommand,
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
        'It listens on this machine only and needs no database. What it was told is gone when it stops.',
      ],
      load: async () => (await import('./psp.ts')).pspCommand,
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
        'It starts anvil, of Foundry, on this machine only, prints the settings for a service, and needs no database.',
      ],
      load: async () => (await import('./chain.ts')).chainCommand,
    },
  ],
  [
    'backup',
    {
      summary: 'save the database, beside a running service',
      help: [
        'trilho backup <folder> [--verify]',
        'trilho backup -',
        '',
        '<folder>  a new folder; it appears when every file in it was written and read again',
        '-         a tar archive on standard output',
        '--verify  also restores it into a scratch database, runs ledger check and audit verify there, and removes that',
        '',
        'Exit code 1 when a proof fails. It changes nothing but a line of the audit log, and migrates nothing.',
        USES_DATABASE,
      ],
      load: async () => (await import('./backup.ts')).backupCommand,
    },
  ],
  [
    'restore',
    {
      summary: 'put a backup into a new database',
      help: [
        'trilho restore <folder> [--verify]',
        'trilho restore - [--verify]',
        '',
        '-         a tar archive on standard input',
        '--verify  only tries it, in a scratch database that is removed afterwards',
        '',
        'It makes the embedded database in TRILHO_DATA_DIR, or fills the empty one of DATABASE_URL, and refuses one with data.',
        'Then it runs ledger check and audit verify: exit code 1 when something is not right.',
      ],
      load: async () => (await import('./restore.ts')).restoreCommand,
    },
  ],
  [
    'migrate',
    {
      summary: 'bring the schema of DATABASE_URL up to date',
      help: ['trilho migrate', '', 'The schema of an embedded database is brought up to date at every start.'],
      takesNothing: true,
      load: async () => (await import('./migrate.ts')).migrateCommand,
    },
  ],
  [
    'doctor',
    {
      summary: 'check database, disk, keys that end soon and every rail',
      help: [
        'trilho doctor [--try-charge]',
        '',
        '--try-charge  registers a charge of one cent at each PSP and removes it: the only proof that the pix key is yours',
        '',
        'Otherwise it changes nothing. Exit code 1 when something is wrong; each such line says how to mend it.',
        USES_DATABASE,
      ],
      load: async () => (await import('./doctor.ts')).doctorCommand,
    },
  ],
  [
    'config',
    {
      summary: 'print the settings in effect, without secrets',
      help: ['trilho config'],
      takesNothing: true,
      load: async () => (await import('./config.ts')).configCommand,
    },
  ],
]);
