/**
 * What a machine keeps books of, beside sums over what is there: the room on its disk, in any order of writes, moves and
 * removals, and who uses which volume.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { Disk, type DiskFile, DiskFullError, OF_ROOT } from './disk.ts';
import { VolumesInUse } from './volumes-in-use.ts';

const CAPACITY = 100;

class Shelf {
  readonly disk = new Disk({ capacityBytes: CAPACITY });
  readonly files = new Map<string, DiskFile>();
  ballast = 0;

  get used(): number {
    return [...this.files.values()].reduce((sum, file) => sum + (file.sizeBytes ?? file.bytes.length), 0);
  }

  get free(): number {
    return Math.max(0, CAPACITY - this.used - this.ballast);
  }

  write(path: string, file: DiskFile): void {
    const before = this.files.get(path);
    const more = (file.sizeBytes ?? file.bytes.length) - (before?.sizeBytes ?? before?.bytes.length ?? 0);
    if (more > this.free) {
      expect(() => this.disk.write(path, file), 'a write without room').toThrow(DiskFullError);
      return;
    }
    this.disk.write(path, file);
    this.files.set(path, file);
  }

  rename(from: string, to: string): void {
    const file = this.files.get(from);
    expect(this.disk.rename(from, to)).toBe(file !== undefined);
    if (!file) return;
    this.files.delete(from);
    this.files.set(to, file);
  }

  remove(path: string): void {
    expect(this.disk.remove(path)).toBe(this.files.delete(path));
  }

  wipe(): void {
    this.disk.wipe();
    this.files.clear();
    this.ballast = 0;
  }

  setFull(isFull: boolean): void {
    this.ballast = isFull ? CAPACITY - this.used : 0;
    this.disk.setFull(isFull);
  }

  compare(): void {
    expect(this.disk.availableBytes, 'room').toBe(this.free);
    expect(this.disk.list('/')).toEqual([...this.files.keys()].sort());
    expect(this.disk.fileCount).toBe(this.files.size);
    for (const [path, file] of this.files) expect(this.disk.read(path), path).toBe(file);
  }
}

const path = fc.constantFrom('/a', '/d/b', '/d/c');
const file = fc.record(
  {
    bytes: fc.nat(40).map((length) => new Uint8Array(length)),
    sizeBytes: fc.nat(60),
    mode: fc.constant(0o600),
    owner: fc.constant(OF_ROOT),
  },
  { requiredKeys: ['bytes', 'mode', 'owner'] },
);
const onShelf = actsOn<Shelf>();

it('has the room that its files leave, and each file as it was written last', () => {
  const write = onShelf('write', fc.tuple(path, file), (shelf, drawn) => shelf.write(...drawn));
  const rename = onShelf('rename', fc.tuple(path, path), (shelf, [from, to]) => shelf.rename(from, to));
  holdsInAnyOrder<Shelf>({
    begin: () => new Shelf(),
    acts: [
      ...[write, write, write, rename, rename],
      onShelf('remove', path, (shelf, at) => shelf.remove(at)),
      onShelf('set full', fc.boolean(), (shelf, isFull) => shelf.setFull(isFull)),
      onShelf('wipe', NOTHING, (shelf) => shelf.wipe()),
    ],
    compare: (shelf) => shelf.compare(),
    most: 30,
    runs: 300,
  });
});

class Volumes {
  readonly volumes = new VolumesInUse();
  readonly #uses: { readonly volume: string; readonly pod: string }[] = [];
  readonly #bound = new Map<string, { readonly storageClassName: string }>();
  /** As it was when somebody was last told. */
  #told: readonly string[] = [];

  constructor() {
    this.volumes.onChange = () => (this.#told = this.volumes.names);
  }

  use(volume: string, pod: string): void {
    this.volumes.use(volume, pod);
    this.#uses.push({ volume, pod });
  }

  bind(pod: string, storageClassName: string): void {
    this.volumes.bind(`${pod}/data`, { storageClassName });
    this.#bound.set(pod, { storageClassName });
  }

  release(pod: string): void {
    this.volumes.release(pod);
    this.#forget((each) => each === pod);
  }

  clear(): void {
    this.volumes.clear();
    this.#forget(() => true);
  }

  #forget(isGone: (pod: string) => boolean): void {
    this.#uses.splice(0, Infinity, ...this.#uses.filter(({ pod }) => !isGone(pod)));
    for (const pod of [...this.#bound.keys()]) if (isGone(pod)) this.#bound.delete(pod);
  }

  compare(): void {
    const names = [...new Set(this.#uses.map(({ volume }) => volume))].sort();
    expect(this.volumes.names, 'in use').toEqual(names);
    expect(this.#told, 'what was told last').toEqual(names);
    for (const pod of PODS) expect(this.volumes.boundTo(`${pod}/data`)).toEqual(this.#bound.get(pod));
  }
}

const PODS = ['1', '10', '2'] as const;
const pod = fc.constantFrom(...PODS);
const onVolumes = actsOn<Volumes>();

it('uses a volume as long as one of its pods does, and tells when that changes', () => {
  const use = onVolumes('use', fc.tuple(fc.constantFrom('v', 'w'), pod), (held, drawn) => held.use(...drawn));
  holdsInAnyOrder<Volumes>({
    begin: () => new Volumes(),
    acts: [
      ...[use, use],
      onVolumes('bind', fc.tuple(pod, fc.constantFrom('x', 'y')), (held, drawn) => held.bind(...drawn)),
      onVolumes('release', pod, (held, of) => held.release(of)),
      onVolumes('clear', fc.constant(undefined), (held) => held.clear()),
    ],
    compare: (held) => held.compare(),
    most: 20,
    runs: 300,
  });
});
