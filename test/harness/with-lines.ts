// The project with a few lines more, as a contributor would write them: its modules are loaded again with these lines. Modules
// that other tests have loaded are unchanged.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const OWN = ['src', 'test'].map(folder => `${pathToFileURL(path.join(import.meta.dirname, '../..', folder)).href}/`);

/** An entry of a list, and what it imports. */
type AddedLine = {
  /** Where the list is, such as `/src/nouns.ts`. */
  readonly list: string;
  /** The beginning of the list. */
  readonly after: string;
  readonly entry: string;
  readonly imports: string;
  /** The URL of the file that has it. */
  readonly from: string;
};

type Project = {
  /** Loads a file of the harness, by its name, in the project with the lines. */
  load(name: string): Promise<unknown>;
  end(): void;
};

/** `name` distinguishes the project from others. */
export function withLines(name: string, lines: readonly AddedLine[]): Project {
  // Keeps the extension, by which worker threads choose their own file.
  const mark = `?with=${name}.ts`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      const isMarked = context.parentURL?.endsWith(mark) && OWN.some(folder => found.url.startsWith(folder));
      return isMarked && !found.url.includes('?') ? { ...found, url: found.url + mark } : found;
    },
    load: (url, context, next) => {
      const loaded = next(url, context);
      const added = lines.filter(({ list }) => url.endsWith(list + mark));
      if (added.length === 0) return loaded;
      return { ...loaded, source: added.reduce(withLine, String(loaded.source)) };
    },
  });
  return {
    load: file => import(new URL(`./${file}${mark}`, import.meta.url).href),
    end: () => hooks.deregister(),
  };
}

function withLine(source: string, { list, after, entry, imports, from }: AddedLine): string {
  assert.ok(source.includes(after), `${list} has the list`);
  return `import { ${imports} } from '${from}';\n${source.replace(after, `${after}${entry}, `)}`;
}
