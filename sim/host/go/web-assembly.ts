/** As much of the platform's WebAssembly as is used here: its types come with browsers', which have no place in this house. */

declare const compiledModule: unique symbol;

/** A compiled module. */
export interface WasmModule {
  readonly [compiledModule]: true;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** By so many pages. */
  grow(pages: number): number;
}

export interface WasmGlobal {
  value: number | bigint;
}

interface WasmPlatform {
  readonly Module: {
    new (bytes: Uint8Array): WasmModule;
    imports(module: WasmModule): readonly { readonly module: string; readonly name: string }[];
  };
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: object };
}

export const wasm = Reflect.get(globalThis, 'WebAssembly') as WasmPlatform;
