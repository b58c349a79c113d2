// What customers declare: who may do what with them, their events, and their place in the menu.
import type { Noun } from '../../noun.ts';
import { CUSTOMER_EVENTS } from './customer.ts';

export const customers = {
  tags: [{ name: 'Customers', description: 'Whom an account charges again and again, with what they owe.' }],
  events: [{ types: CUSTOMER_EVENTS, schema: 'Customer', page: '/dashboard/customers' }],
  sections: [{ name: 'customers', label: 'Customers', href: '/dashboard/customers' }],
  access: {
    ofOneAccount: {
      'GET /customers': 'customers:read',
      'POST /customers': 'customers:write',
      'GET /customers/:id': 'customers:read',
      'PATCH /customers/:id': 'customers:write',
      'POST /customers/:id/erase': 'customers:write',

      '/dashboard/customers': 'customers:read',
      '/dashboard/customers/:id': 'customers:read',
      '/dashboard/customers/:id/change': 'customers:write',
      '/dashboard/customers/:id/erase': 'customers:write',
      '/dashboard/customers/new': 'customers:write',
      '/dashboard/customers.csv': 'customers:read',
    },
  },
} as const satisfies Noun;
