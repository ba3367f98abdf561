/** Of all containers of a machine: their bytes are really kept. */
const MOST_BYTES = 64 * 2 ** 20;

/** What a directory takes beside its name. */
const ENTRY_BYTES = 128;
const costOf = (path: string): number => ENTRY_BYTES + path.length;

/** Files and directories that commands have made in containers, or taken away, beside those of the image: gone with the container. */
export class WrittenFiles {
  readonly #byContainer = new Map<string, Map<string, Uint8Array | undefined>>();
  readonly #directories = new Map<string, Set<string>>();
  #size = 0;

  /** By absolute path; undefined: it was taken away. */
  of(id: string): ReadonlyMap<string, Uint8Array | undefined> {
    return this.#byContainer.get(id) ?? NONE;
  }

  remove(id: string, path: string): void {
    this.#note(id, path, undefined);
  }

  /** False: there is no room for it. */
  write(id: string, path: string, bytes: Uint8Array): boolean {
    const more = bytes.length - (this.of(id).get(path)?.length ?? 0);
    if (more > 0 && this.#size + more > MOST_BYTES) return false;
    this.#note(id, path, bytes);
    return true;
  }

  /** Those that were made, by absolute path, whether anything is in them or not. */
  directoriesOf(id: string): ReadonlySet<string> {
    return this.#directories.get(id) ?? NO_DIRECTORIES;
  }

  /** False: there is no room for it. */
  makeDirectory(id: string, path: string): boolean {
    const known = this.#directories.get(id) ?? new Set();
    if (known.has(path)) return true;
    if (this.#size + costOf(path) > MOST_BYTES) return false;
    this.#size += costOf(path);
    this.#directories.set(id, known.add(path));
    return true;
  }

  removeDirectory(id: string, path: string): void {
    if (this.#directories.get(id)?.delete(path) === true) this.#size -= costOf(path);
  }

  #note(id: string, path: string, bytes: Uint8Array | undefined): void {
    const known = this.#byContainer.get(id);
    this.#size += (bytes?.length ?? 0) - (known?.get(path)?.length ?? 0);
    if (known) known.set(path, bytes);
    else this.#byContainer.set(id, new Map([[path, bytes]]));
  }

  /** The container is gone. */
  drop(id: string): void {
    for (const bytes of this.of(id).values()) this.#size -= bytes?.length ?? 0;
    for (const path of this.directoriesOf(id)) this.#size -= costOf(path);
    this.#byContainer.delete(id);
    this.#directories.delete(id);
  }

  clear(): void {
    this.#size = 0;
    this.#byContainer.clear();
    this.#directories.clear();
  }
}

const NO_DIRECTORIES: ReadonlySet<string> = new Set();
const NONE: ReadonlyMap<string, Uint8Array | undefined> = new Map();
