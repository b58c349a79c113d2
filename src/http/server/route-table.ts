// The methods of each address, for the answer to other methods.
import type { FastifyInstance } from 'fastify';

type Route = { readonly pattern: RegExp; readonly methods: Set<string> };
type RouteTable = Map<string, Route>;

/** Call it before any route is added: it is filled as they are added. */
export function watchRoutes(app: FastifyInstance): RouteTable {
  const table: RouteTable = new Map();
  app.addHook('onRoute', ({ url, method }) => {
    const route = table.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    table.set(url, route);
  });
  return table;
}

export function allowedMethods(table: RouteTable, url: string): string[] {
  const path = url.split('?', 1)[0] ?? url;
  const methods = [...table.values()].filter(({ pattern }) => pattern.test(path)).flatMap(route => [...route.methods]);
  return [...new Set(methods)].sort();
}

function patternOf(url: string): RegExp {
  const parts = url.split('/').map(part => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replace(/[^\w-]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}
