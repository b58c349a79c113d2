// Running it: backups, schema, checks, settings.
import { type Commands, type PlainCommand, USES_DATABASE } from './entry.ts';

async function secretKey(): Promise<PlainCommand> {
  const { secretKeyCommand } = await import('../secret-key.ts');
  return args => secretKeyCommand(args.slice(1));
}

export const OPERATIONS: Commands = [
  [
    'backup',
    {
      summary: 'save the database, beside a running service',
      help: [
        'trilho backup <folder> [--verify]',
        'trilho backup -',
        'trilho backup --base [--verify] [--keep <number>] [--take-over]',
        '',
        '<folder>  a new folder; it appears once every file in it was written and read back',
        '-         a tar archive on standard output',
        '--verify  also restores it into a scratch database, runs ledger check and audit verify there, and removes that',
        '--base    copies the files of the embedded database into TRILHO_WAL_ARCHIVE, for a restore to any later moment',
        '--keep    keeps this number of base backups, and removes older ones with the log before them',
        '--take-over  after a restore: this database takes over the archive of the one that was saved, which is gone',
        '',
        'Exit code 1 when a proof fails. It writes one line of the audit log, changes nothing else, and migrates nothing.',
        USES_DATABASE,
      ],
      load: async () => (await import('../backup.ts')).backupCommand,
    },
  ],
  [
    'restore',
    {
      summary: 'put a backup into a new database',
      help: [
        'trilho restore <folder> [--verify]',
        'trilho restore - [--verify]',
        'trilho restore --archive <folder> [--until <time>] [--verify]',
        '',
        '-         a tar archive on standard input',
        '--verify  only tries it, in a scratch database that is removed afterwards',
        '--archive a folder of TRILHO_WAL_ARCHIVE: the newest base backup before <time>, and the log up to it',
        '<time>    such as 2026-11-17T12:00:00-03:00; the end of the log when absent',
        '',
        'It makes the embedded database in TRILHO_DATA_DIR, or fills the empty one of DATABASE_URL, and refuses one with data.',
        'Then it runs ledger check and audit verify: exit code 1 when something is not right. --archive writes nothing',
        'into the archive; with another one in TRILHO_WAL_ARCHIVE it ends with a base backup there.',
      ],
      load: async () => (await import('../restore.ts')).restoreCommand,
    },
  ],
  [
    'archive',
    {
      summary: 'verify files of the archive',
      help: [
        'trilho archive check <file or folder>',
        '',
        'Verifies what was moved to TRILHO_ARCHIVE_DIR, a file or a whole folder: hashes, rows, the chain of audit lines, and that each',
        'file continues where the one before ended. No database is needed. Exit code 1 at the first file that is not right.',
      ],
      load: async () => (await import('../archive.ts')).archiveCommand,
    },
  ],
  [
    'secrets',
    {
      summary: 'seal secrets in the database and in files with a master key',
      help: [
        'trilho secrets key',
        'trilho secrets status',
        'trilho secrets reseal',
        'trilho secrets renew',
        'trilho secrets seal <file>',
        'trilho secrets unseal <file>',
        '',
        'key     prints a new master key, for TRILHO_MASTER_KEY or its file; needs neither settings nor database',
        'status  how many secrets each key seals; exit code 1 when a secret is not sealed, or sealed by a key that is not given',
        'reseal  seals all of them with the first key of TRILHO_MASTER_KEY, beside a running service',
        'renew   after a key was lost: replaces secrets that no given key opens by new random ones',
        'seal    seals a file that holds a password or a key, in place, or reseals one with the present key; settings may name it',
        'unseal  prints the content of a sealed file',
        '',
        USES_DATABASE,
      ],
      loadPlain: ([verb]) => (verb === 'key' ? secretKey() : undefined),
      load: async () => (await import('../secrets.ts')).secretsCommand,
    },
  ],
  [
    'migrate',
    {
      summary: 'bring the schema of DATABASE_URL up to date',
      help: [
        'trilho migrate [--plan]',
        '',
        '--plan  only lists the migrations that are missing, with what each does, and transactions that are open',
        '',
        'The schema of an embedded database is brought up to date at every start.',
        USES_DATABASE,
      ],
      load: async () => (await import('../migrate.ts')).migrateCommand,
    },
  ],
  [
    'doctor',
    {
      summary: 'try database, disk, keys that end soon, rails, signers, nodes, funds and prices',
      help: [
        'trilho doctor [--try-charge]',
        '',
        '--try-charge  registers a charge of one cent at each PSP and removes it: the only proof that the pix key is yours',
        '',
        'Otherwise it changes nothing. Each line is right, a warning or wrong, and says how to fix it. Exit code 1 when something is wrong.',
        USES_DATABASE,
      ],
      load: async () => (await import('../doctor.ts')).doctorCommand,
    },
  ],
  [
    'config',
    {
      summary: 'print the settings in effect, without secrets',
      help: ['trilho config'],
      takesNothing: true,
      load: async () => (await import('../config.ts')).configCommand,
    },
  ],
];
