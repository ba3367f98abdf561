/**
 * What claims may ask for, bound or not, grown or not, in any order: only who is bound asks for another size, and for more
 * than before; where growth may be given up, for less too, if that is more than there is.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FeatureGates } from '../../../feature-gates.ts';
import { RELEASE_1_31 } from '../../../../api/release/release-1-31.ts';
import { ApiError } from '../../../../api/status.ts';
import { createCluster } from '../../../../cluster/create-cluster.ts';
import { actsOn, holdsInAnyOrder } from '../../../../engine/any-order.arbitrary.ts';

const NAME = 'data';

class World {
  readonly cluster;
  readonly #isGrowthGivenUp: boolean;
  #size = 4;
  #capacity = 0;
  #isBound = false;

  constructor(isGrowthGivenUp: boolean) {
    this.#isGrowthGivenUp = isGrowthGivenUp;
    this.cluster = createCluster({
      nodes: 0,
      controllers: [],
      scheduler: false,
      disabledAdmissionPlugins: ['PersistentVolumeClaimResize'],
      featureGates: new FeatureGates(RELEASE_1_31.gates, {
        RecoverVolumeExpansionFailure: isGrowthGivenUp,
      }),
    });
    this.cluster.client.persistentVolumeClaims.create({
      metadata: { name: NAME },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '4Gi' } }, volumeName: 'v' },
    });
  }

  tell(phase: 'Bound' | 'Pending' | 'Lost', capacity: number): void {
    const body = { status: { phase, capacity: { storage: `${capacity}Gi` } } };
    this.cluster.client.persistentVolumeClaims.patch(
      NAME,
      { type: 'merge', body },
      { subresource: 'status' },
    );
    this.#isBound = phase === 'Bound';
    this.#capacity = capacity;
  }

  ask(size: number): void {
    const refused = this.#refusals(size);
    const what = `${size}Gi after ${this.#size}Gi, of which there are ${this.#capacity}Gi`;
    expect(this.#try(size), what).toEqual(refused);
    if (refused.length === 0) this.#size = size;
    const { spec } = this.cluster.client.persistentVolumeClaims.get(NAME);
    expect(spec?.resources?.requests?.['storage'], what).toBe(`${this.#size}Gi`);
  }

  #refusals(size: number): readonly string[] {
    const refused: string[] = [];
    if (size !== this.#size && !this.#isBound) refused.push('spec');
    if (size < this.#size && (!this.#isGrowthGivenUp || size <= this.#capacity))
      refused.push('spec.resources.requests.storage');
    return refused;
  }

  /** Members that are refused. */
  #try(size: number): readonly (string | undefined)[] {
    const body = { spec: { resources: { requests: { storage: `${size}Gi` } } } };
    try {
      this.cluster.client.persistentVolumeClaims.patch(NAME, { type: 'merge', body });
      return [];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return (error.status.details?.causes ?? [{ field: error.message }]).map(({ field }) => field);
    }
  }
}

const size = fc.integer({ min: 1, max: 9 });
const act = actsOn<World>();

it.each([false, true])('ask for what they may, where growth may be given up: %s', (isGrowthGivenUp) => {
  const ask = act('ask', size, (world, drawn) => world.ask(drawn));
  holdsInAnyOrder<World>({
    begin: () => new World(isGrowthGivenUp),
    acts: [
      ...[ask, ask],
      act('tell', fc.tuple(fc.constantFrom('Bound', 'Bound', 'Pending', 'Lost'), size), (world, drawn) =>
        world.tell(...drawn),
      ),
    ],
    compare: () => undefined,
    most: 20,
    runs: 20,
  });
});
