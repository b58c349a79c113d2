// Accounts, wallets and plans to choose from, in forms and in filters. Where a list would be too long, the first are suggested and any other
// id can be typed.
import type { FastifyRequest } from 'fastify';
import { listNamedAccounts } from '../../accounts/store-names.ts';
import { listPlans } from '../../billing/plans/list.ts';
import type { Sql } from '../../storage/database.ts';
import { listWallets } from '../../wallets/list.ts';
import type { Field, Option } from './act.ts';
import type { Filter } from './filters.ts';
import { shortId } from './parts.ts';

type Deps = { readonly db: Sql };
type Choices = { readonly options: readonly Option[]; readonly isWhole: boolean };

/** A longer list does not help. */
const MOST_LISTED = 300;

async function accountChoices({ db }: Deps): Promise<Choices> {
  const accounts = await listNamedAccounts(db, MOST_LISTED + 1);
  const options = accounts.slice(0, MOST_LISTED).map(({ id, name }) => ({
    value: id,
    label: name === undefined ? id : `${name} (${id})`,
  }));
  return { options, isWhole: accounts.length <= MOST_LISTED };
}

type AccountField = { readonly label?: string; readonly hint?: string; readonly emptyLabel?: string };

/** The account of a form, unless the person works for only one. `emptyLabel`: the label of the empty choice, where that is allowed. */
export async function accountField(
  deps: Deps,
  { caller }: FastifyRequest,
  { label = 'Account', hint, emptyLabel }: AccountField = {},
): Promise<readonly Field[]> {
  if (caller?.accountId !== undefined) return [];
  const { options, isWhole } = await accountChoices(deps);
  const common = { name: 'accountId', label, isRequired: emptyLabel === undefined };
  const [only, ...others] = options;
  // A sandbox opens an account when its id is first used.
  if (!isWhole || !only) return [{ ...common, options, ...(hint !== undefined && { hint }) }];
  const isOne = others.length === 0 && emptyLabel === undefined;
  const empty = { value: '', label: emptyLabel ?? 'choose one' };
  return [
    {
      ...common,
      type: 'select',
      options: isOne ? options : [empty, ...options],
      ...(hint !== undefined && { hint }),
      ...(isOne && { value: only.value }),
    },
  ];
}

/** The filter by account, for people who work for more than one. */
export async function accountFilter(deps: Deps, { caller }: FastifyRequest): Promise<readonly Filter[]> {
  if (caller?.accountId !== undefined) return [];
  const { options, isWhole } = await accountChoices(deps);
  return [{ name: 'accountId', label: 'Account', ...(isWhole ? { options } : { suggested: options }) }];
}

/** The wallets that an order of the person may use, newest first. */
export async function walletField(
  deps: Deps,
  { caller }: FastifyRequest,
  { isRequired = true }: { readonly isRequired?: boolean } = {},
): Promise<Field> {
  const accountId = caller?.accountId;
  const { wallets, total } = await listWallets(deps, {
    page: 1,
    pageSize: MOST_LISTED,
    ...(accountId !== undefined && { accountId }),
  });
  const options = wallets.map(({ id, name, accountId: of, network, address }) => ({
    value: id,
    label: `${name}${accountId === undefined ? ` of ${of}` : ''} on ${network}, ${shortId(address)}`,
  }));
  const common = { name: 'walletId', label: 'Wallet', isRequired };
  const hint = isRequired ? 'A wallet of the account on this network.' : 'Where the plan buys crypto, on its network.';
  if (total > options.length || total === 0) return { ...common, options, hint: `${hint} Its id.` };
  return {
    ...common,
    hint,
    type: 'select',
    options: [{ value: '', label: isRequired ? 'choose one' : 'none' }, ...options],
  };
}

/** The plans that take new subscriptions, newest first; `current` is one that a subscription has, archived or not. */
export async function planField(deps: Deps, accountId: string | undefined, current?: string): Promise<Field> {
  const { plans, total } = await listPlans(deps, {
    page: 1,
    pageSize: MOST_LISTED,
    ...(accountId !== undefined && { accountId }),
  });
  const common = { name: 'planId', label: 'Plan', isRequired: true, ...(current !== undefined && { value: current }) };
  const options = plans
    .filter(({ id, archived }) => !archived || id === current)
    .map(({ id, name, accountId: of }) => ({
      value: id,
      label: accountId === undefined ? `${name} of ${of}` : name,
    }));
  if (total > plans.length || total === 0) return { ...common, options, hint: 'Its id.' };
  const empty = current === undefined ? [{ value: '', label: 'choose one' }] : [];
  return { ...common, type: 'select', options: [...empty, ...options] };
}
