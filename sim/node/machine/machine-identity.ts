/** A machine keeps its identifiers, an image its own; each boot has another. */
import type { Context } from '../../engine/context.ts';
import type { Machine } from './machine.ts';
import type { MachineIds } from '../node-template.ts';

export class MachineIdentity {
  #known: MachineIds | undefined;
  #image = 0;
  #boot = 0;

  /** Drawn when something is new; equal in all lives of an agent between two boots. */
  of(context: Context, { imageCount, bootCount }: Machine): MachineIds {
    const site = context.site('machine');
    const known = this.#known;
    if (known && imageCount === this.#image && bootCount === this.#boot) return known;
    this.#known = {
      machineID: known && imageCount === this.#image ? known.machineID : site.hex(32),
      systemUUID: known?.systemUUID ?? site.uuid(),
      bootID: site.uuid(),
    };
    this.#image = imageCount;
    this.#boot = bootCount;
    return this.#known;
  }
}
