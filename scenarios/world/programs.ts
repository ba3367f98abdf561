/** The controllers of somebody's own that a scenario names, as guests of its cluster. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClusterSpec } from '../language/scenario-shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { type Drive, guestDriveOf, type Housing } from './drive.ts';

type Program = NonNullable<ClusterSpec['programs']>[number];

/** As it is; or, where the command line's own loader stands between, what that has imported. */
async function moduleAt(href: string): Promise<object> {
  const found = (await import(href)) as { readonly imported?: Promise<object> };
  return found.imported instanceof Promise ? found.imported : found;
}

/** Starts them with the next event. @throws ScenarioError where one has no file */
export function startPrograms(cluster: Housing, programs: readonly Program[], directory = '.'): Drive {
  const drive = guestDriveOf(cluster);
  for (const { name, file, restartPolicy } of programs) {
    const path = resolve(directory, file);
    if (!existsSync(path)) throw new ScenarioError(`the program ${name} has no file ${file} (${path})`);
    if (cluster.simulation.findActor(`guest/${name}`))
      throw new ScenarioError(`two programs are called ${name}`);
    const { href } = pathToFileURL(path);
    drive.guest(name, { load: () => moduleAt(href) }, { ...(restartPolicy && { restartPolicy }) });
  }
  return drive;
}
