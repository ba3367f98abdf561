/** Files that commands have written in containers, or taken away, beside those of the image: gone with the container. */
export class WrittenFiles {
  readonly #byContainer = new Map<string, Map<string, Uint8Array | undefined>>();

  /** By absolute path; undefined: it was taken away. */
  of(id: string): ReadonlyMap<string, Uint8Array | undefined> {
    return this.#byContainer.get(id) ?? NONE;
  }

  remove(id: string, path: string): void {
    this.#note(id, path, undefined);
  }

  write(id: string, path: string, bytes: Uint8Array): void {
    this.#note(id, path, bytes);
  }

  #note(id: string, path: string, bytes: Uint8Array | undefined): void {
    const known = this.#byContainer.get(id);
    if (known) known.set(path, bytes);
    else this.#byContainer.set(id, new Map([[path, bytes]]));
  }

  /** The container is gone. */
  drop(id: string): void {
    this.#byContainer.delete(id);
  }

  clear(): void {
    this.#byContainer.clear();
  }
}

const NONE: ReadonlyMap<string, Uint8Array | undefined> = new Map();
