/** The controllers of somebody's own that a scenario names, as guests of its cluster. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClusterSpec } from '../language/scenario-shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { type Drive, guestDriveOf, type Housing } from './drive.ts';

type Program = NonNullable<ClusterSpec['programs']>[number];

/** Starts them with the next event. @throws ScenarioError where one has no file */
export function startPrograms(cluster: Housing, programs: readonly Program[], directory = '.'): Drive {
  const drive = guestDriveOf(cluster);
  for (const { name, file } of programs) {
    const path = resolve(directory, file);
    if (!existsSync(path)) throw new ScenarioError(`the program ${name} has no file ${file} (${path})`);
    if (cluster.simulation.findActor(`guest/${name}`))
      throw new ScenarioError(`two programs are called ${name}`);
    const { href } = pathToFileURL(path);
    drive.guest(name, { load: () => import(href) as Promise<object> });
  }
  return drive;
}
