/** Feature gates of the releases whose servers were recorded: their stages, and whether they are on by default. */
import { MINORS, type ReleaseFacts } from './release-facts.ts';

/** `A`lpha, `B`eta, `G`A, `D`eprecated; a small letter: off by default. Empty: there is no such gate. */
type StageLetter = string;

type GateTable = Readonly<Record<string, readonly (readonly [minor: number, stage: StageLetter])[]>>;

export function gateTable(facts: ReleaseFacts): GateTable {
  const table: Record<string, [number, StageLetter][]> = {};
  for (const minor of MINORS) {
    const gates = facts.servedAt(minor)?.gates;
    if (!gates) continue;
    for (const name of new Set([...Object.keys(table), ...Object.keys(gates)])) {
      const gate = gates[name];
      const letter = gate ? letterOf(gate) : '';
      const since = (table[name] ??= []);
      if ((since.at(-1)?.[1] ?? '') !== letter) since.push([minor, letter]);
    }
  }
  const names = Object.keys(table).sort();
  return Object.fromEntries(names.map((name) => [name, table[name] ?? []]));
}

function letterOf([stage, isOn]: readonly [string, boolean]): StageLetter {
  const letter = stage.charAt(0);
  return isOn ? letter : letter.toLowerCase();
}
