/** The global object of a Go program: what programs and Go's own packages look for, and nothing that leads out of the simulation. */
import { type Ask, GoAbortController, goFetch, GoHeaders } from './go-fetch.ts';
import { type GoFiles, goPath, goProcess } from './go-files.ts';

export const worldOf = (files: GoFiles, ports: object, ask: Ask): object => ({
  ...{ Object, Array, Uint8Array, ArrayBuffer, Error, Date, JSON, Math },
  ...{ AbortController: GoAbortController, Headers: GoHeaders, URL },
  fetch: goFetch(ask),
  fs: files,
  path: goPath,
  process: goProcess,
  kubesim: ports,
});

/** Where each thing in a world is found: the members of its global object, and those of what is the simulation's own. */
export function placesIn(world: object): ReadonlyMap<unknown, string> {
  const places = new Map<unknown, string>();
  for (const [name, value] of Object.entries(world)) {
    if (!places.has(value)) places.set(value, name);
    if (OWN.has(name))
      for (const [member, inner] of Object.entries(value as object))
        if (typeof inner === 'object' || typeof inner === 'function') places.set(inner, `${name}.${member}`);
  }
  return places;
}

const OWN: ReadonlySet<string> = new Set(['fs', 'path', 'process', 'kubesim']);

/** What is found there. */
export const foundIn = (world: object, place: string): unknown =>
  place.split('.').reduce<unknown>((within, name) => Reflect.get(within as object, name), world);
