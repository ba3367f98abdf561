/**
 * The test image's program `mounttest`: shows where files are kept, their modes, owners and contents, writes new ones, and
 * looks at one again and again. Kubernetes 1.31: test/images/agnhost/mounttest.
 */
import { goQuote } from '../../../api/go-text.ts';
import { milliseconds } from '../../../engine/time.ts';
import type { Process } from '../../../engine/process.ts';
import type { CommandPlace, CommandStreams } from '../command-place.ts';
import { type FileFacts, factsOf, goModeText, permissionText } from '../file-facts.ts';
import { readFile, type Unreadable, writeFile } from '../file-programs.ts';
import { valueOfFlag } from './agnhost-image.ts';

const WRITTEN = 'mount-tester new file\n';
const ABSENT = 'no such file or directory';
const ROUND_MS = 2_000;
const USUAL_SECONDS = '180';
/** Of a file system in memory it tells the name; of the node's disk (ext4) the number. */
const [IN_MEMORY, ON_DISK] = ['tmpfs', '61267'];
/** In the order in which they are done, whatever the order of the flags. */
const NEW_FILES = { new_file_0644: 0o644, new_file_0666: 0o666, new_file_0660: 0o660, new_file_0777: 0o777 };
const SHOWN = {
  file_mode: { asks: 'Stat', says: (path, facts) => [`mode of file ${path}: ${goModeText(facts)}`] },
  file_perm: { asks: 'Stat', says: (path, { mode }) => [`perms of file ${path}: -${permissionText(mode)}`] },
  file_owner: {
    asks: 'stat',
    says: (path, { owner: { uid, gid } }) => [`owner UID of ${path}: ${uid}`, `owner GID of ${path}: ${gid}`],
  },
} satisfies Record<string, Shown>;

interface Shown {
  /** What is asked for them, as it is called. */
  readonly asks: 'Stat' | 'stat';
  readonly says: (path: string, facts: FileFacts) => readonly string[];
}

interface Look {
  readonly flags: readonly string[];
  readonly streams: CommandStreams;
  readonly print: (text: string) => void;
  readonly place: CommandPlace;
}

export function* mountTest(
  flags: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const look: Look = { flags, place, streams, print: (text) => streams.write(`${text}\n`) };
  const went = [showType(look)];
  for (const [flag, mode] of Object.entries(NEW_FILES)) went.push(makeFile(look, flag, mode));
  for (const [flag, shown] of Object.entries<Shown>(SHOWN)) went.push(showFacts(look, flag, shown));
  const path = valueOfFlag(flags, '--file_content');
  went.push(path === undefined || showContent(look, path), yield* watchContent(look));
  return went.includes(false) ? 1 : 0;
}

function showType({ flags, place, print }: Look): boolean {
  const path = valueOfFlag(flags, '--fs_type');
  if (path === undefined) return true;
  const facts = factsOf(place, path);
  if (!facts) print(`error from statfs(${goQuote(path)}): ${ABSENT}`);
  else print(`mount type of ${goQuote(path)}: ${facts.isInMemory ? IN_MEMORY : ON_DISK}`);
  return facts !== undefined;
}

function makeFile(look: Look, flag: string, mode: number): boolean {
  const path = valueOfFlag(look.flags, `--${flag}`);
  if (path === undefined) return true;
  const problem = writeFile(look.place, path, new TextEncoder().encode(WRITTEN), mode);
  if (problem === undefined) return showContent(look, path);
  look.print(`error writing new file ${goQuote(path)}: open ${path}: ${problem.toLowerCase()}`);
  return false;
}

function showFacts({ flags, place, print }: Look, flag: string, { asks, says }: Shown): boolean {
  const path = valueOfFlag(flags, `--${flag}`);
  if (path === undefined) return true;
  const facts = factsOf(place, path);
  const quoted = goQuote(path);
  // What the system says, or what Go makes of it.
  const why = asks === 'Stat' ? `stat ${path}: ${ABSENT}` : ABSENT;
  for (const line of facts ? says(quoted, facts) : [`error from ${asks}(${quoted}): ${why}`]) print(line);
  return facts !== undefined;
}

const problemOf = ({ place }: Look, path: string, why: Unreadable): string =>
  factsOf(place, path)?.isDirectory === true
    ? `read ${path}: is a directory`
    : `open ${path}: ${why.toLowerCase()}`;

function showContent(look: Look, path: string): boolean {
  const bytes = readFile(look.place, path);
  if (typeof bytes !== 'string') look.print(contentLine(path, bytes));
  else look.print(`error reading file content for ${goQuote(path)}: ${problemOf(look, path, bytes)}`);
  return typeof bytes !== 'string';
}

const contentLine = (path: string, bytes: Uint8Array): string =>
  `content of file ${goQuote(path)}: ${new TextDecoder().decode(bytes)}`;

/** Until it finds what it writes itself, or its time is over. */
function* watchContent(look: Look): Process<boolean> {
  const { flags, place, print, streams } = look;
  const path = valueOfFlag(flags, '--file_content_in_loop');
  if (path === undefined) return true;
  const retrySeconds = Number(valueOfFlag(flags, '--retry_time') ?? USUAL_SECONDS);
  const endsAt = place.context.now() + milliseconds(retrySeconds * 1_000);
  const mayEnd = valueOfFlag(flags, '--break_on_expected_content') !== 'false';
  let isThere = true;
  while (place.context.now() < endsAt) {
    place.refreshFiles?.([path]);
    const bytes = readFile(place, path);
    isThere = typeof bytes !== 'string';
    if (typeof bytes === 'string')
      print(`Error reading file ${path}: ${problemOf(look, path, bytes)}, retrying`);
    else {
      print(contentLine(path, bytes));
      if (mayEnd && new TextDecoder().decode(bytes) === WRITTEN) break;
      // It forgets the end of this line.
      if (mayEnd) streams.write(`Unexpected content. Expected: ${WRITTEN}. Retrying`);
    }
    yield* place.context.sleep(milliseconds(ROUND_MS));
  }
  return isThere;
}
