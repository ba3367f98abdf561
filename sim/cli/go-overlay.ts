/**
 * What is laid over Go's own sources for a build that runs in the simulation, and over one library's; the program's stay as
 * they are. HTTP reaches the host however connections are made; ports that the program listens on can be called from
 * outside of it; the host hears when everything is initialized and `main` is about to begin, and gives new chance then; it
 * hears of addresses that are dialled, of processes and of timers by the thousand; watchers of files, which change for nobody here, are made and hear nothing. Where Go has another text than is
 * looked for, only the first of these is insisted on.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXEC_STARTS, HTTP_PORTS, NET_DIALS, NET_PORTS, STARTED, TIMERS } from './go-overlay-sources.ts';

/** Files of an overlay: their text by where they lie, be they there already or not. */
export type Overlay = Map<string, string>;

interface Change {
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

interface Addition {
  readonly file: string;
  readonly text: string;
}

/** How connections are made is no reason not to ask the host. */
const ROUND_TRIP: Change = {
  file: 'src/net/http/roundtrip_js.go',
  from: /if (?:t\.Dial\w* != nil \|\| )+/,
  to: 'if ',
};

const STARTS: readonly Change[] = [
  {
    file: 'src/runtime/proc.go',
    from: /\n\tfn := main_main /,
    to: '\n\tkubesimStarted()\n\tfn := main_main ',
  },
  {
    file: 'src/runtime/lock_js.go',
    from: /\nfunc handleEvent\(\) \{\n/,
    to: '\nfunc handleEvent() {\n\tkubesimGoesOn()\n',
  },
];

const LISTENS: readonly Change[] = [
  {
    file: 'src/net/net_fake.go',
    from: /(if err := fakeListen\(fd, laddr\); err != nil \{[^}]*\}\n)/,
    to: '$1\t\tkubesimListens(fd)\n',
  },
  {
    file: 'src/net/net_fake.go',
    from: /\n\tif ffd\.incoming != nil \{\n/,
    to: '\n\tif ffd.incoming != nil {\n\t\tkubesimCloses(ffd.fd)\n',
  },
];

const DIALS: readonly Change[] = [
  {
    file: 'src/net/dial.go',
    from: /(\nfunc \(d \*Dialer\) DialContext\(ctx context\.Context, network, address string\) \(Conn, error\) \{\n)/,
    to: '$1\tkubesimDials(network, address)\n',
  },
  {
    file: 'src/net/net_fake.go',
    from: /(\nfunc fakeConnect\([^)]*raddr sockaddr\) error \{\n)/,
    to: '$1\tkubesimDials(raddr.Network(), raddr.String())\n',
  },
];

const PROCESSES: readonly Change[] = [
  {
    file: 'src/os/exec/exec.go',
    from: /(\nfunc \(c \*Cmd\) Start\(\) error \{\n)/,
    to: '$1\tkubesimStarts(c.Path)\n',
  },
];

/** Since 1.23 each processor has its timers in such a heap. */
const COUNTED_TIMERS: readonly Change[] = [
  {
    file: 'src/runtime/time.go',
    from: /(\n\theap \[\]timerWhen\n)/,
    to: '$1\n',
  },
  {
    file: 'src/runtime/lock_js.go',
    from: /(\n\t\/\/ wait until all goroutines are idle\n)/,
    to: '\n\tkubesimCountsTimers()\n$1',
  },
];

/** Go has no text that is insisted on. */
export class UnknownGo extends Error {
  override readonly name = 'UnknownGo';
}

/** @throws UnknownGo */
export function overlayOf(root: string): Overlay {
  const overlay: Overlay = new Map();
  if (!changed(overlay, root, [ROUND_TRIP], []))
    throw new UnknownGo(
      `${join(root, ROUND_TRIP.file)} is not as Go 1.21 to 1.26 have it: HTTP would not reach the simulation`,
    );
  changed(overlay, root, STARTS, [{ file: 'src/runtime/kubesim_js.go', text: STARTED }]);
  changed(overlay, root, LISTENS, [
    { file: 'src/net/kubesim_js.go', text: NET_PORTS },
    { file: 'src/net/http/kubesim_js.go', text: HTTP_PORTS },
  ]);
  changed(overlay, root, DIALS, [{ file: 'src/net/kubesim_dials_js.go', text: NET_DIALS }]);
  changed(overlay, root, PROCESSES, [{ file: 'src/os/exec/kubesim_js.go', text: EXEC_STARTS }]);
  changed(overlay, root, COUNTED_TIMERS, [{ file: 'src/runtime/kubesim_timers_js.go', text: TIMERS }]);
  return overlay;
}

/** All of it or nothing. */
function changed(
  overlay: Overlay,
  root: string,
  changes: readonly Change[],
  additions: readonly Addition[],
): boolean {
  const texts: Overlay = new Map();
  for (const { file, from, to } of changes) {
    const path = join(root, file);
    const text = texts.get(path) ?? overlay.get(path) ?? textOf(path);
    const next = text?.replace(from, to);
    if (next === undefined || next === text) return false;
    texts.set(path, next);
  }
  for (const { file, text } of additions) texts.set(join(root, file), text);
  for (const [path, text] of texts) overlay.set(path, text);
  return changes.length > 0;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Of the library by which programs watch files: what stands where it has nothing for a platform. */
export const BACKEND = 'backend_other.go';
const UNSUPPORTED = /return nil, errors\.New\("fsnotify not supported[^)]*\)/g;

/** The same with a watcher that hears nothing. Versions until 1.7 make watchers where later ones make what is behind them. */
export function withWatcher(backend: string): string | undefined {
  const made = backend.includes('type other struct')
    ? '&other{Events: ev, Errors: errs}'
    : '&Watcher{Events: make(chan Event), Errors: make(chan error)}';
  const changed = backend.replace(UNSUPPORTED, `return ${made}, nil`);
  return changed === backend ? undefined : `${changed}\nvar _ = errors.New\n`;
}
