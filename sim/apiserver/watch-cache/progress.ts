import type { Revision, Storage, StorageWatch } from '../../storage/storage.ts';

/**
 * The revision up to which an API server has heard from its storage, whatever was written. One for all caches of a
 * server: a cache without events of its own learns from it that nothing was missed. It hears of a commit after the
 * caches did (the empty prefix is told last), so it never runs ahead of them.
 */
export class Progress {
  readonly #watch: StorageWatch;
  readonly #listeners = new Set<() => void>();
  #revision: Revision;

  constructor(storage: Pick<Storage<never>, 'revision' | 'watch'>) {
    this.#revision = storage.revision;
    this.#watch = storage.watch({
      prefix: '',
      onEvents: (_, revision) => {
        this.#revision = revision;
        for (const listener of this.#listeners) listener();
      },
    });
  }

  get revision(): Revision {
    return this.#revision;
  }

  /** @returns how to stop listening */
  listen(onProgress: () => void): () => void {
    this.#listeners.add(onProgress);
    return () => {
      this.#listeners.delete(onProgress);
    };
  }

  close(): void {
    this.#watch.close();
  }
}
