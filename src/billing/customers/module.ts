// What customers give the service.
import { CUSTOMER_SCHEMAS } from '../../api/customers.ts';
import { customerRoutes } from '../../http/routes/customers.ts';
import type { Module } from '../../module.ts';
import { customerActs } from '../../web/dashboard/customer-acts.ts';
import { customerPages } from '../../web/dashboard/customers.ts';

type Deps = Parameters<typeof customerRoutes>[1];

export function customersModule(deps: Deps): Module {
  return {
    schemas: CUSTOMER_SCHEMAS,
    routes: app => customerRoutes(app, deps),
    dashboard: (scope, pages) => {
      customerPages(scope, pages);
      customerActs(scope, pages);
    },
  };
}
