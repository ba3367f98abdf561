/**
 * Loads a guest's module anew for each of its lives, so that what it keeps in variables of modules begins anew as well, as in
 * a process that was restarted. The modules of the user's own are loaded anew; packages keep their state over lives.
 */
import { createRequire, register } from 'node:module';
import { types } from 'node:util';
import type { GuestEnvironment, GuestProgram, Loader } from './guest-program.ts';
import { GuestVerdict } from './verdicts.ts';

type Main = (environment: GuestEnvironment) => Promise<void>;

/** Functions that do nothing but import a module, also where a bundler has put its own import in. */
const IMPORTS = /^(?:async\s*)?\(\s*\)\s*=>\s*(?:\{\s*return\s+)?(?:await\s+)?[\w$.]*import[\w$]*\s*\(/;

/** Undefined: a function that is to be called. */
export function loaderOf(program: GuestProgram): Loader | undefined {
  if (typeof program !== 'function') return program;
  return IMPORTS.test(String(program)) ? { load: program as Loader['load'] } : undefined;
}

export const isModule = (value: unknown): value is object =>
  types.isModuleNamespaceObject(value) ||
  (typeof value === 'object' && value !== null && Reflect.get(value, Symbol.toStringTag) === 'Module');

/** What a module has to run; undefined: it was enough to load it. */
export function mainOf(module: object): Main | undefined {
  for (const name of ['main', 'run', 'default']) {
    const value: unknown = Reflect.get(module, name);
    if (typeof value === 'function') return value as Main;
  }
  return undefined;
}

/** Modules that somebody has begun a life with. */
const used = new WeakSet<object>();

/** @throws GuestVerdict where there is no way to load it once more */
export async function freshModule({ load }: Loader, guest: string): Promise<object> {
  const first = await load();
  if (!used.has(first)) return noted(first);
  const again = await loadedAnew(load);
  if (!used.has(again)) return noted(again);
  throw new GuestVerdict('threw', `${guest}: its module cannot be loaded anew for another life`);
}

function noted(module: object): object {
  used.add(module);
  return module;
}

async function loadedAnew(load: Loader['load']): Promise<object> {
  const { VITEST, JEST_WORKER_ID } = process.env;
  if (VITEST === undefined && JEST_WORKER_ID === undefined) return renamed(load);
  // Test runners keep modules in registries of their own.
  if (VITEST === undefined) await forgetInJest();
  else (await import('vitest')).vi.resetModules();
  return load();
}

async function forgetInJest(): Promise<void> {
  // Given by the runner itself: nobody has to install it.
  const name = '@jest/globals';
  const { jest } = (await import(name)) as { readonly jest: { resetModules(): void } };
  jest.resetModules();
}

/**
 * Node keeps a module for ever under its URL: for a life after the first, each module of the user's own gets another one.
 * Packages, and what is built in, are those there are.
 */
async function renamed(load: Loader['load']): Promise<object> {
  life ??= hooked();
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (!file.includes('node_modules')) delete cache[file];
  life[0] = ++lives;
  try {
    return await load();
  } finally {
    life[0] = 0;
  }
}

/** Number of the life whose modules are being loaded; 0: there is none. The loader's thread reads it. */
let life: Int32Array | undefined;
let lives = 0;

function hooked(): Int32Array {
  const shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: shared });
  return shared;
}

/** Runs in the loader's thread. What is imported by a module of a life belongs to that life. */
const HOOKS = `
const MARK = /[?&]kubesim-life=(\\d+)/;
let life;
export function initialize(shared) { life = shared; }
export async function resolve(specifier, context, next) {
  const { parentURL = '' } = context;
  const of = MARK.exec(parentURL)?.[1] ?? String(Atomics.load(life, 0));
  const found = await next(specifier, { ...context, parentURL: parentURL.replace(MARK, '') });
  if (of === '0' || !found.url.startsWith('file:') || found.url.includes('/node_modules/')) return found;
  return { ...found, url: found.url + (found.url.includes('?') ? '&' : '?') + 'kubesim-life=' + of };
}
`;
