// Preloaded with --import: when the process ends, writes the URLs of all modules that it loaded to the file NOTE_MODULES_TO.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env['NOTE_MODULES_TO']!, loaded.join('\n')));
