// Crypto: signers, payouts, networks; and the books.
import { type Commands, type PlainCommand, USES_DATABASE } from './entry.ts';

async function verifyReceipt(): Promise<PlainCommand> {
  const { verifyReceiptCommand } = await import('../verify-receipt.ts');
  return args => verifyReceiptCommand(args.slice(1));
}

export const PAYOUTS: Commands = [
  [
    'signer',
    {
      summary: 'create a key that signs payouts, or print its addresses',
      help: [
        'trilho signer create --file <keystore> --password-file <file>',
        'trilho signer import --file <keystore> --password-file <file> [--key-file <file>]',
        'trilho signer address --file <keystore> [--password-file <file>]',
        'trilho signer address <name>',
        '',
        '--file           the keystore; create and import write it, and refuse a file that exists',
        '--password-file  a file with the password',
        '--key-file       a file with the private key, 64 hexadecimal digits; standard input when absent',
        '<name>           a name in signers of TRILHO_CONFIG',
        '',
        'It prints the addresses of the key on EVM networks and on Tron, and no secret. It needs no database.',
      ],
      load: async () => (await import('../signer.ts')).signerCommand,
    },
  ],
  [
    'payouts',
    {
      summary:
        'list, pause, approve and retry payouts, give up a transfer, resume a halted sender, fill a gap, sweep to the cold address, top up a sender',
      help: [
        'trilho payouts list [--network <network>] [--state <state>] [--account <id>] [--page <page>]',
        'trilho payouts show <payout or transaction id>',
        'trilho payouts pause [--network <network>] [--asset <asset>] [--reason <text>]',
        'trilho payouts resume [--network <network>] [--asset <asset>] [--unchecked <text>]',
        'trilho payouts resume <network> <sender> [--despite <hash>[,<hash>…]]',
        'trilho payouts approve <transaction or top-up id>',
        'trilho payouts approvals [--account <id>]',
        'trilho payouts retry <transaction id>',
        'trilho payouts void <payout or transaction id>',
        'trilho payouts settle <transaction id> --as <delivered|returned>',
        'trilho payouts settle <transaction id> --as paid --hash <hash>',
        'trilho payouts fill-gap --network <network>',
        'trilho payouts sweep --network <network> --asset <asset> [--amount <amount|all>]',
        'trilho payouts top-up --network <network> --from <sender> --to <sender> --amount <amount> [--key <key>]',
        '',
        'list    newest first, 100 a page: when, state, network, amount, address, transaction id, hash',
        'pause   no order takes a slot from now on; transfers that have begun continue',
        'resume  ends the pause of exactly this scope; that of a restore once ledger check --chains found books and chains to agree,',
        '        or when you say what you looked at instead (--unchecked); with a sender, after its key was used elsewhere and is safe:',
        '        it takes slots again, behind those that the network has used, and once each transfer that the network shows is in the',
        '        books; --despite names transactions that have paid no order, and explains them',
        'approve releases an order that is held as approval_needed or over_payout_limit; it is sent in its turn. Where groups of',
        '        payouts.approvals must approve it, it counts for the groups that name operator',
        'approvals  lists orders that wait for approvals, with those given and those missing',
        'retry   sends an order again whose transfer failed for good, or was refused before it began; asks network and wallet',
        '        first',
        'void    uses up the slot of a transfer with a transaction that moves nothing; then the order is held',
        'settle  ends the hold transfer_mismatched: what arrived counts as the full delivery, or the payment may be refunded; with a hash, the',
        '        order was paid in that transaction, which is read from the chain and must be exactly its transfer',
        'fill-gap  uses up the slots that trilho chains shows as skipped, with transactions that move nothing',
        'sweep   sends to payouts.coldAddresses what payouts and waiting orders do not need: what is above the ceiling, an amount,',
        '        or all',
        'top-up  sends coin from one sender of the service to another, so that it can pay fees; a repeat with the same --key sends nothing more',
        '',
        USES_DATABASE,
      ],
      load: async () => (await import('../payouts.ts')).payoutsCommand,
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
        'verify prints what was signed. It needs no settings, no database and no network. Exit code 1 when the receipt is not',
        'valid.',
        'get uses the database of the service, names it on standard error, and never creates one.',
      ],
      loadPlain: ([verb]) => (verb === 'verify' ? verifyReceipt() : undefined),
      load: async () => (await import('../receipt.ts')).receiptCommand,
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
      load: async () => (await import('../chains.ts')).chainsCommand,
    },
  ],
  [
    'ledger',
    {
      summary: 'check that the books are right, or explain a difference between the books and a chain',
      help: [
        'trilho ledger check [--chains]',
        'trilho ledger explain <network> <sender> --amount <amount> --asset <asset> --blocks <from>-<to> --note <text>',
        'trilho ledger explain <network> <sender> --transfer <hash> --note <text>',
        'trilho ledger explain <network> <sender> --slot <number> --note <text>',
        '',
        '--chains  also asks every configured network: what left our senders must be in the books, and the other way round',
        '',
        'explain takes a difference as check --chains prints it, and records what it was: from then on the check prints it as a note. It',
        'books nothing.',
        'check: exit code 1 when something differs, or a network does not answer.',
        USES_DATABASE,
      ],
      load: async () => (await import('../ledger.ts')).ledgerCommand,
    },
  ],
];
