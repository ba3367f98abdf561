/** Addresses for the pods of one node, out of its network, in order; those in use are passed over. */

/** Of a /24, without the network, its gateway and its broadcast address. */
const ADDRESSES = 253;
const DEFAULT_NETWORK = '10.244.0.0/24';

export class PodAddresses {
  readonly #network: () => string | undefined;
  readonly #inUse: () => Iterable<string>;
  #count = 0;

  constructor(network: () => string | undefined, inUse: () => Iterable<string>) {
    this.#network = network;
    this.#inUse = inUse;
  }

  next(): string {
    const prefix = (this.#network() ?? DEFAULT_NETWORK).split('.').slice(0, 3).join('.');
    const taken = new Set(this.#inUse());
    let address = '';
    for (let tries = 0; tries < ADDRESSES && (tries === 0 || taken.has(address)); tries += 1) {
      this.#count += 1;
      address = `${prefix}.${(this.#count % ADDRESSES) + 2}`;
    }
    return address;
  }
}
