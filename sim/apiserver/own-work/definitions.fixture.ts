/**
 * Definitions of two kinds that may want the same name, objects of theirs that are guarded or not, and the APIServices of
 * their versions. What should be is read off what is stored of their wishes.
 */
import { expect } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { APIService } from '../../api/types/apiregistration-k8s-io-v1.ts';
import type { Micros } from '../../index.ts';
import { Onlookers } from './onlookers.fixture.ts';
import type { OwnServers } from './own-servers.fixture.ts';

export const PLURALS = ['gears', 'wheels'] as const;
export const VERSIONS = ['v1', 'v2'] as const;
export const KINDS = ['Gear', 'Wheel'] as const;
type Plural = (typeof PLURALS)[number];

const GROUP = 'own.example.com';
const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const STORED = '/registry/apiextensions.k8s.io/customresourcedefinitions/';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
/** Whatever has conditions that servers write. */
export const OWN_CONDITIONS = [
  ...PLURALS.map((plural) => `${PATH}/${plural}.${GROUP}`),
  ...VERSIONS.map((version) => `${SERVICES}/${version}.${GROUP}`),
];
const LOCAL = { type: 'Available', status: 'True', reason: 'Local' };
const WHOLE = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const HOLD = 'own.example.com/hold';

export interface Wish {
  readonly plural: Plural;
  readonly kind: (typeof KINDS)[number];
  readonly shortNames: readonly string[];
  readonly served: readonly string[];
}

const specOf = ({ plural, kind, shortNames, served }: Wish): object => ({
  group: GROUP,
  scope: 'Cluster',
  names: { plural, kind, singular: plural.slice(0, -1), listKind: `${kind}List`, shortNames },
  versions: VERSIONS.map((name, index) => ({
    name,
    served: served.includes(name),
    storage: index === 0,
    schema: { openAPIV3Schema: { type: 'object' } },
  })),
});

const isTrue = ({ status }: CustomResourceDefinition, type: string): boolean =>
  status?.conditions?.some((each) => each.type === type && each.status === 'True') ?? false;

export class Definitions {
  readonly #servers: OwnServers;
  readonly #onlookers: Onlookers;
  readonly #wishes = new Map<Plural, Wish>();

  constructor(servers: OwnServers) {
    this.#servers = servers;
    this.#onlookers = new Onlookers(servers);
  }

  define(wish: Wish): void {
    this.#wishes.set(wish.plural, wish);
    const name = `${wish.plural}.${GROUP}`;
    const present = this.#servers.ask('GET', `${PATH}/${name}`);
    if (present?.status === 200) {
      const body = { ...WHOLE, metadata: present.body.metadata, spec: specOf(wish) };
      this.#servers.ask('PUT', `${PATH}/${name}`, { body });
    } else this.#servers.ask('POST', PATH, { body: { ...WHOLE, metadata: { name }, spec: specOf(wish) } });
  }

  /** All of them ask for the same names at the same instant. */
  defineAtOnce(wish: Omit<Wish, 'plural'>): void {
    const bodies = PLURALS.map((plural) => ({
      ...{ ...WHOLE, metadata: { name: `${plural}.${GROUP}` } },
      spec: specOf({ ...wish, plural }),
    }));
    this.#servers.askAll(bodies.map((body) => ['POST', PATH, body]));
  }

  /** It goes, and is back, and watched, before all have heard of that. */
  defineAnew(plural: Plural, after: Micros): void {
    const wish = this.#wishes.get(plural);
    if (!wish) return;
    this.undefine(plural);
    this.#servers.advance(after);
    this.define(wish);
    this.#servers.advance(after);
    this.watch(plural);
  }

  /** Somebody watches objects from now on, in the version that they are stored in. */
  watch(plural: Plural): void {
    this.#onlookers.watch(`/apis/${GROUP}/v1/${plural}`, `/registry/${GROUP}/${plural}/`);
  }

  undefine(plural: Plural): void {
    this.#servers.ask('DELETE', `${PATH}/${plural}.${GROUP}`);
  }

  /** Of whatever kind the definition is of, in any version that is served. */
  make(plural: Plural, name: string, isGuarded: boolean): void {
    const metadata = { name, ...(isGuarded && { finalizers: [HOLD] }) };
    for (const version of VERSIONS)
      for (const kind of KINDS) {
        const body = { apiVersion: `${GROUP}/${version}`, kind, metadata };
        this.#servers.ask('POST', `/apis/${GROUP}/${version}/${plural}`, { body });
      }
  }

  /** Nobody guards objects any more. */
  release(plural: Plural): void {
    for (const { metadata } of this.#servers.stored(`/registry/${GROUP}/${plural}/`))
      for (const version of VERSIONS)
        this.#servers.ask('PATCH', `/apis/${GROUP}/${version}/${plural}/${metadata.name ?? ''}`, {
          body: { metadata: { finalizers: null } },
        });
  }

  /** Somebody has his own way with what the server registers. */
  meddle(version: string, does: 'delete' | 'change'): void {
    const path = `${SERVICES}/${version}.${GROUP}`;
    if (does === 'delete') this.#servers.ask('DELETE', path);
    else this.#servers.ask('PATCH', path, { body: { spec: { versionPriority: 7 } } });
  }

  /** Once all had time to do what they do. */
  check(): void {
    const all = (this.#servers.stored(STORED) as readonly CustomResourceDefinition[]).filter(
      ({ spec }) => spec.group === GROUP,
    );
    for (const plural of PLURALS) {
      const own = all.find(({ spec }) => spec.names.plural === plural);
      if (!own) this.#checkIsGone(plural);
      else if (own.metadata.deletionTimestamp !== undefined) this.#checkIsHeld(plural);
      else
        this.#checkIsServed(
          own,
          all.filter((each) => each !== own),
        );
    }
    this.#checkRegistrations(all);
    this.#onlookers.check();
  }

  #objects(plural: string): readonly ApiObject[] {
    return this.#servers.stored(`/registry/${GROUP}/${plural}/`);
  }

  #checkIsGone(plural: Plural): void {
    expect(this.#objects(plural), `objects of ${plural}, of which there is no definition`).toEqual([]);
    this.#checkAnswers(plural, () => false);
  }

  #checkIsHeld(plural: Plural): void {
    const marks = this.#objects(plural).map(({ metadata }) => [
      metadata.finalizers,
      metadata.deletionTimestamp !== undefined,
    ]);
    expect(marks, `objects that hold the definition of ${plural}`).not.toEqual([]);
    for (const mark of marks) expect(mark, `what is left of ${plural}`).toEqual([[HOLD], true]);
  }

  #checkIsServed(own: CustomResourceDefinition, others: readonly CustomResourceDefinition[]): void {
    const { names, versions } = own.spec;
    const taken = others.flatMap(({ status }) => {
      const { kind, shortNames = [], singular = '' } = status?.acceptedNames ?? { kind: '' };
      return [kind, singular, ...shortNames];
    });
    const wanted = [names.kind, names.singular ?? '', ...(names.shortNames ?? [])];
    const isAccepted = !wanted.some((name) => taken.includes(name));
    expect([names.plural, isTrue(own, 'NamesAccepted')]).toEqual([names.plural, isAccepted]);
    if (isAccepted) expect(own.status?.acceptedNames, names.plural).toEqual(names);
    if (isAccepted) expect([names.plural, isTrue(own, 'Established')]).toEqual([names.plural, true]);
    const served = versions.filter((each) => each.served).map(({ name }) => name);
    this.#checkAnswers(names.plural, (version) => isTrue(own, 'Established') && served.includes(version));
  }

  #checkAnswers(plural: string, isServed: (version: string) => boolean): void {
    for (const server of this.#servers.up)
      for (const version of VERSIONS) {
        const status = this.#servers.ask('GET', `/apis/${GROUP}/${version}/${plural}`, { server })?.status;
        expect([server, version, plural, status]).toEqual([
          server,
          version,
          plural,
          isServed(version) ? 200 : 404,
        ]);
      }
  }

  #checkRegistrations(all: readonly CustomResourceDefinition[]): void {
    const versions = all.flatMap(({ spec }) => spec.versions.filter(({ served }) => served));
    const wanted = VERSIONS.filter((version) => versions.some(({ name }) => name === version));
    const prefix = '/registry/apiregistration.k8s.io/apiservices/';
    const present = (this.#servers.stored(prefix) as readonly APIService[]).filter(
      ({ spec }) => spec?.group === GROUP,
    );
    expect(present.map(({ spec }) => [spec?.version, spec?.versionPriority])).toEqual(
      wanted.map((version) => [version, 100]),
    );
    for (const { status } of present) expect(status?.conditions).toMatchObject([LOCAL]);
  }
}
