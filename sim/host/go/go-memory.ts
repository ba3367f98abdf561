/** The linear memory of a Go program as its calls see it: little-endian, 64-bit words of which 53 bits are used. */

import type { WasmMemory } from './web-assembly.ts';

const decoder = new TextDecoder();
const WORD = 2 ** 32;

export class GoMemory {
  #memory: WasmMemory | undefined;
  #view = new DataView(new ArrayBuffer(0));

  /** The program brings its memory along, and is made of calls that need it. */
  attach(memory: WasmMemory): void {
    this.#memory = memory;
  }

  /** Memory that grew lies elsewhere. */
  get view(): DataView {
    const buffer = this.#memory?.buffer;
    if (buffer && buffer !== this.#view.buffer) this.#view = new DataView(buffer);
    return this.#view;
  }

  int32(at: number): number {
    return this.view.getInt32(at, true);
  }

  int64(at: number): number {
    return this.view.getUint32(at, true) + this.view.getInt32(at + 4, true) * WORD;
  }

  setInt32(at: number, value: number): void {
    this.view.setInt32(at, value, true);
  }

  setInt64(at: number, value: number): void {
    this.view.setUint32(at, value, true);
    this.view.setInt32(at + 4, Math.floor(value / WORD), true);
  }

  setBool(at: number, value: boolean): void {
    this.view.setUint8(at, value ? 1 : 0);
  }

  /** Of a slice whose header (where it lies, and its length) is at `at`. Good until the program goes on. */
  bytes(at: number): Uint8Array {
    return new Uint8Array(this.view.buffer, this.int64(at), this.int64(at + 8));
  }

  text(at: number): string {
    return decoder.decode(this.bytes(at));
  }

  write(at: number, bytes: Uint8Array): void {
    new Uint8Array(this.view.buffer, at, bytes.length).set(bytes);
  }
}
