// Who uses the service: accounts, keys, people, wallets, and what they did.
import { type Commands, USES_DATABASE } from './entry.ts';

export const ACCOUNTS: Commands = [
  [
    'serve',
    {
      summary: 'start the service (what npm start does)',
      help: ['trilho serve', '', 'It creates the database if it does not exist, and brings its schema up to date.'],
      takesNothing: true,
      isService: true,
      load: async () => (await import('../serve.ts')).serve,
    },
  ],
  [
    'accounts',
    {
      summary: 'open or list accounts, or set how their checkouts look',
      help: [
        'trilho accounts create <id>',
        'trilho accounts list',
        'trilho accounts settings <id> [--name <text>] [--document <CPF or CNPJ>] [--colour <#rrggbb>] [--logo <file>]',
        '                             [--return-url <url>] [--support-url <url>] [--frame-origins <origin,origin,…>]',
        '                             [--offers-remainder yes|no]',
        '',
        'settings  changes the given values, removes a value given as «none», and prints the settings',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('../accounts.ts')).accountsCommand,
    },
  ],
  [
    'keys',
    {
      summary: 'create, list or revoke API keys',
      help: [
        'trilho keys create --account <id> --scopes <scope,scope,…|all> [--reach <account|all_accounts>] [--name <text>]',
        '                   [--expires <time>]',
        'trilho keys list [--account <id>]',
        'trilho keys revoke <id, prefix or key>',
        '',
        '--reach  account: the account alone; all_accounts: also what concerns all accounts, as the scopes allow.',
        '         When absent, the scopes decide.',
        '<time>   a length such as P90D, or a day such as 2027-03-01 in São Paulo',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('../keys.ts')).keysCommand,
    },
  ],
  [
    'people',
    {
      summary: 'invite people to the dashboard, list or remove them',
      help: [
        'trilho people invite --role <viewer|support|operator|owner> --name <text> [--account <id>]',
        'trilho people list [--account <id>]',
        'trilho people login <person id>',
        'trilho people remove <person id>',
        '',
        '--account  the one account that the person works for; all of them when absent',
        '',
        'invite and login print a link under TRILHO_PUBLIC_URL, alone on standard output. It works once: an invitation for a',
        'day, a login for 15 minutes. remove ends every session of the person.',
        USES_DATABASE,
      ],
      load: async () => (await import('../people.ts')).peopleCommand,
    },
  ],
  [
    'wallets',
    {
      summary: 'list, approve or block wallets; show what screening uses',
      help: [
        'trilho wallets list [--account <id>]',
        'trilho wallets approve <wallet id>',
        'trilho wallets block <wallet id>',
        'trilho wallets unblock <wallet id>',
        'trilho wallets screening',
        '',
        'block refuses the address of the wallet for every account, on every network. screening prints the date and digest of the',
        'list, and the newest hits.',
        USES_DATABASE,
      ],
      load: async () => (await import('../wallets.ts')).walletsCommand,
    },
  ],
  [
    'audit',
    {
      summary: 'verify the audit log',
      help: [
        'trilho audit verify [<position> <hash>] [--archive <folder>]',
        '',
        '--archive  also follows the lines that were moved there: the folder of TRILHO_ARCHIVE_DIR, or a copy of it',
        '',
        'Position and hash are those that an earlier run printed. Exit code 1 when the log is broken.',
        USES_DATABASE,
      ],
      load: async () => (await import('../audit.ts')).auditCommand,
    },
  ],
];
