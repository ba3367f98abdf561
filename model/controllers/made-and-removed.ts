/**
 * Objects that a controller makes and another deletes, again and again, while nobody else changes anything that the
 * controller looks at: such as one whose owner is somebody who is gone. Whoever changes the object, or is a person, has a
 * story of his own.
 */
import {
  type Cast,
  type Deed,
  inSeconds,
  isController,
  isPerson,
  subjectOf,
  titleOf,
} from './observation.ts';

/** So often each of the two does it. */
const MOST = 3;

interface Story {
  readonly maker: string;
  readonly since: number;
  remover: string | undefined;
  made: number;
  removed: number;
}

export class MadeAndRemoved {
  readonly #cast: Cast;
  /** By key. */
  readonly #stories = new Map<string, Story>();

  constructor(cast: Cast) {
    this.#cast = cast;
  }

  /** What is to be said of the two, as soon as they have done it so often. */
  changed(deed: Deed): string | undefined {
    this.#endStoriesOfOthers(deed);
    const { key, before, after } = deed;
    if (!before) this.#make(deed);
    else if (!isGoing(before) && (!after || isGoing(after))) return this.#remove(deed);
    else if (after && deed.client !== this.#stories.get(key)?.maker && !isGoing(before))
      this.#stories.delete(key);
    return undefined;
  }

  #endStoriesOfOthers({ client, key }: Deed): void {
    for (const [other, { maker, remover }] of this.#stories)
      if (client !== maker && client !== remover && other !== key && this.#cast.touches(maker, key))
        this.#stories.delete(other);
  }

  #make({ client, key, at }: Deed): void {
    const known = this.#stories.get(key);
    if (known?.maker === client) known.made++;
    else if (isController(client))
      this.#stories.set(key, { maker: client, since: at, remover: undefined, made: 1, removed: 0 });
    else this.#stories.delete(key);
  }

  #remove(deed: Deed): string | undefined {
    const { client, key } = deed;
    const story = this.#stories.get(key);
    if (!story) return undefined;
    const isOther = client !== '' && client !== story.maker && !isPerson(client);
    if (!isOther || (story.remover ?? client) !== client) {
      this.#stories.delete(key);
      return undefined;
    }
    story.remover = client;
    story.removed++;
    if (story.made < MOST || story.removed < MOST) return undefined;
    this.#stories.delete(key);
    return `${story.maker} and ${client} fight over ${titleOf(subjectOf(deed))}: since ${inSeconds(story.since)} the one makes it, the other deletes it, ${MOST} times each`;
  }
}

const isGoing = ({ metadata }: { readonly metadata: { readonly deletionTimestamp?: string } }): boolean =>
  metadata.deletionTimestamp !== undefined;
