/**
 * A server over a data directory whose disk fails now and then: `DIRECTORY SEED FSYNC ONE_IN`. It says where it
 * serves and each fault on standard output.
 */
import { DataDirectoryError } from '../../host/data-directory/file-layer.ts';
import { FaultyFiles } from '../../host/data-directory/faulty-files.ts';
import type { Fsync } from '../../host/data-directory/data-directory.ts';
import { drawing } from '../../host/data-directory/drawing.ts';
import { serve } from '../../host/serve.ts';

/** Small, so that snapshots are made all the time. */
const MAX_LOG_BYTES = 200_000;
const BAD_INPUT = 2;

const [dataDirectory = '', seed = '1', fsync = 'always', oneIn = '0'] = process.argv.slice(2);
const draw = drawing(Number(seed));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  const { urls } = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: Number(seed),
    speed: 1,
    dataDirectory,
    fsync: fsync as Fsync,
    dataOptions: {
      maxLogBytes: MAX_LOG_BYTES,
      ...(oneIn !== '0' && {
        filesOver: (files) =>
          new FaultyFiles(files, {
            draw,
            oneIn: Number(oneIn),
            nowMs: () => performance.now(),
            onFault: (what) => say(`fault ${what}`),
            kill: () => process.kill(process.pid, 'SIGKILL'),
          }),
      }),
    },
    onNotice: (line) => say(`notice ${line}`),
    onStorageLost: (error) => {
      say(`lost ${error.message}`);
      process.exit(1);
    },
    onDefect: (error) =>
      say(`defect ${error instanceof Error ? error.stack?.replaceAll('\n', ' ') : String(error)}`),
  });
  say(`serving on ${urls[0]}`);
} catch (error) {
  say(`refused ${error instanceof Error ? error.message : String(error)}`);
  process.exit(error instanceof DataDirectoryError ? BAD_INPUT : 1);
}
