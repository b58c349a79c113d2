// Wallets: the addresses that crypto is sent to, their holders, and their approvals.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { pageParameters } from '../../api/paging.ts';
import { OneOf, Text } from '../../api/schemas.ts';
import { NETWORKS } from '../../chains/asset.ts';
import { FAMILIES } from '../../chains/families.ts';
import { listQuery } from '../../http/server/list-query.ts';
import { listWallets } from '../../wallets/list.ts';
import { requireWallet } from '../../wallets/require.ts';
import { type ShowWalletDeps, showWallet } from '../../wallets/show.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, accountIn, defineAct, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { approvalsCard, isLacking } from './approvals.ts';
import type { ListDeps } from './charges.ts';
import { accountField, accountFilter } from './choices.ts';
import { type Filter, filteredPage, filterForm, readFilters } from './filters.ts';
import { filled } from './form.ts';
import { when } from './formats.ts';
import { wholeAddress } from './on-chain.ts';
import { badge, facts, pager, table } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & ActDeps & Pick<ShowWalletDeps, 'approvalRules'>;

const HIDDEN = { schema: { hide: true } } as const;
const SHOWN = ['unapproved'] as const;

const SIGNED_WITH = FAMILIES.map(
  ({ messages, networksLabel }, index) =>
    html`${index > 0 && ', '}<code>${messages.signedWith}</code> on ${networksLabel}`,
);

const WalletsFilter = Type.Object(
  {
    show: Type.Optional(OneOf(SHOWN)),
    network: Type.Optional(OneOf(NETWORKS)),
    accountId: Type.Optional(Text()),
    page: pageParameters.page,
    pageSize: pageParameters.pageSize,
  },
  { additionalProperties: false },
);

export function walletPages(app: FastifyInstance, deps: Deps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'show', label: 'Show', options: SHOWN },
    { name: 'network', label: 'Network', options: NETWORKS },
    ...(await accountFilter(deps, request)),
  ];

  const page = filteredPage(deps, { title: 'Wallets', section: 'wallets', filters }, async (request, reply, filled) => {
    const { show, ...asked } = listQuery(readFilters(WalletsFilter, request), request.caller, deps.pageSize);
    const { wallets, ...counts } = await listWallets(deps, { ...asked, isUnapproved: show === 'unapproved' });
    const rows = wallets.map(wallet => [
      html`<a href="/dashboard/wallets/${wallet.id}">${wallet.name}</a>`,
      wallet.network,
      wholeAddress(deps, wallet.network, wallet.address),
      badge(wallet.ownership),
      wallet.approvedAt === undefined ? '–' : when(wallet.approvedAt),
      wallet.accountId,
      when(wallet.createdAt),
    ]);
    const shown = shell(deps, request, {
      title: 'Wallets',
      section: 'wallets',
      acts:
        may(request.caller, 'wallets:write') && html`<a class="button" href="/dashboard/wallets/new">New wallet</a>`,
      body: html`${filterForm(request, filled)}${table({ caption: 'Wallets', head: ['Wallet', 'Network', 'Address', 'Holder', 'Approved', 'Account', 'Added'], rows, empty: 'No wallet fits these filters.' })}${pager(request, counts)}`,
    });
    return sendHtml(request, reply, shown);
  });

  app.get('/dashboard/wallets', HIDDEN, page);

  app.get<{ Params: { id: string } }>('/dashboard/wallets/:id', HIDDEN, async (request, reply) => {
    const { caller } = request;
    const found = await requireWallet(deps.db, request.params.id.toLowerCase(), caller?.accountId);
    const wallet = await showWallet(deps, found);
    const at = `/dashboard/wallets/${wallet.id}`;
    const act = (path: string, label: string) => html`<a class="button secondary" href="${at}/${path}">${label}</a> `;
    const shown = shell(deps, request, {
      title: wallet.name,
      section: 'wallets',
      acts: [
        (wallet.approvedAt === undefined || isLacking(wallet.approvals)) &&
          may(caller, 'wallets:approve') &&
          act('approve', 'Approve'),
        may(caller, 'wallets:write') && [
          act('challenge', 'Ask for a signature'),
          act('declare', 'Declare its holder'),
          act('remove', 'Remove'),
        ],
      ],
      body: html`${wallet.warnings?.map(({ message }) => html`<p class="note warn">The address ${message}.</p>`)}
<section class="card">${facts([
        ['Id', html`<code>${wallet.id}</code>`],
        ['Account', wallet.accountId],
        ['Network', wallet.network],
        ['Address', wholeAddress(deps, wallet.network, wallet.address)],
        ['Holder', html`${badge(wallet.ownership)} ${wallet.ownershipAt && when(wallet.ownershipAt)}`],
        ['Approved', wallet.approvedAt && when(wallet.approvedAt)],
        ['Usable by orders from', when(wallet.usableAt)],
        ['Added', when(wallet.createdAt)],
      ])}</section>${approvalsCard(wallet.approvals)}`,
    });
    return sendHtml(request, reply, shown);
  });

  walletActs(app, deps);
}

function walletActs(app: FastifyInstance, deps: Deps): void {
  const urlOf = ({ id = '' }: Params, verb = '') => `/wallets/${encodeURIComponent(id)}${verb}`;
  const pageOf = ({ id = '' }: Params) => `/dashboard/wallets/${id}`;

  async function shown({ caller }: FastifyRequest, { id = '' }: Params) {
    const wallet = await requireWallet(deps.db, id.toLowerCase(), caller?.accountId);
    return facts([
      ['Wallet', wallet.name],
      ['Account', wallet.accountId],
      ['Network', wallet.network],
      ['Address', wholeAddress(deps, wallet.network, wallet.address)],
    ]);
  }

  defineAct(app, deps, {
    url: '/wallets/new',
    section: 'wallets',
    ask: async request => ({
      title: 'New wallet',
      text: html`<p>Crypto sent to it cannot be recalled: compare the whole address.</p>`,
      fields: [
        ...(await accountField(deps, request)),
        { name: 'name', label: 'Name', isRequired: true },
        {
          name: 'network',
          label: 'Network',
          type: 'select',
          options: NETWORKS.map(value => ({ value, label: value })),
        },
        { name: 'address', label: 'Address', isRequired: true },
      ],
      button: 'Create the wallet',
      back: '/dashboard/wallets',
    }),
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/wallets',
      body: { ...accountIn(fields, request), ...filled(fields, ['name', 'network', 'address']) },
    }),
    done: ({ id }) => `/dashboard/wallets/${textOf(id)}`,
  });

  defineAct(app, deps, {
    url: '/wallets/:id/approve',
    section: 'wallets',
    ask: async (request, params) => ({
      title: 'Approve this wallet?',
      text: html`<p>You confirm that crypto of the account may go to this address.</p>${await shown(request, params)}`,
      button: 'Approve the wallet',
      back: pageOf(params),
    }),
    call: (_, params) => ({ method: 'POST', url: urlOf(params, '/approve'), body: {} }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/wallets/:id/remove',
    section: 'wallets',
    ask: async (request, params) => ({
      title: 'Remove this wallet?',
      text: html`<p>New orders cannot use it; existing orders continue.</p>${await shown(request, params)}`,
      button: 'Remove the wallet',
      back: pageOf(params),
    }),
    call: (_, params) => ({ method: 'DELETE', url: urlOf(params) }),
    done: () => '/dashboard/wallets',
  });

  defineAct(app, deps, {
    url: '/wallets/:id/declare',
    section: 'wallets',
    countsForms: true,
    ask: async (request, params) => ({
      title: 'Declare who holds this wallet',
      text: html`<p>It is kept with the time and your name, and never shown again.</p>${await shown(request, params)}`,
      fields: [
        { name: 'holderName', label: 'Name of the holder', isRequired: true },
        { name: 'holderDocument', label: 'CPF or CNPJ', hint: 'Optional: a holder may have neither.' },
        { name: 'statement', label: 'What is declared', isRequired: true },
      ],
      button: 'Record the declaration',
      back: pageOf(params),
    }),
    call: (fields, params) => ({
      method: 'POST',
      url: urlOf(params, '/declaration'),
      body: filled(fields, ['holderName', 'holderDocument', 'statement']),
    }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/wallets/:id/challenge',
    section: 'wallets',
    ask: async (request, params) => ({
      title: 'Ask for a signature?',
      text: html`<p>You get a text for the holder to sign with the key of the wallet. Earlier texts are no longer valid.</p>${await shown(request, params)}`,
      button: 'Create the text',
      back: pageOf(params),
    }),
    call: (_, params) => ({ method: 'POST', url: urlOf(params, '/challenge'), body: {} }),
    done: ({ message }, params) => ({
      title: 'The text to sign',
      shown: html`<section class="card"><p>The holder signs it byte for byte: ${SIGNED_WITH}.</p>
<pre class="long" tabindex="0" aria-label="The text to sign">${textOf(message)}</pre><p class="acts"><a class="button" href="${pageOf(params)}/prove">I have the signature</a></p></section>`,
    }),
  });

  defineAct(app, deps, {
    url: '/wallets/:id/prove',
    section: 'wallets',
    ask: async (request, params) => ({
      title: 'Prove who holds this wallet',
      text: await shown(request, params),
      fields: [
        {
          name: 'signature',
          label: 'Signature of the text',
          isRequired: true,
          hint: '65 bytes as hexadecimal digits.',
        },
      ],
      button: 'Check the signature',
      back: pageOf(params),
    }),
    call: (fields, params) => ({ method: 'POST', url: urlOf(params, '/proof'), body: filled(fields, ['signature']) }),
    done: (_, params) => pageOf(params),
  });
}
