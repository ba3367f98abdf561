/** Files that commands have written in containers, beside those of the image: gone with the container. */
export class WrittenFiles {
  readonly #byContainer = new Map<string, Map<string, Uint8Array>>();

  /** By absolute path. */
  of(id: string): ReadonlyMap<string, Uint8Array> {
    return this.#byContainer.get(id) ?? NONE;
  }

  write(id: string, path: string, bytes: Uint8Array): void {
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

const NONE: ReadonlyMap<string, Uint8Array> = new Map();
