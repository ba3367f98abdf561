/** Scenarios that a machine made: values first, and text only when somebody wants to read them. */
import { Document, stringify } from 'yaml';
import { loadWritten } from '../language/load-document.ts';
import type { LoadedScenario } from '../language/loaded-scenario.ts';
import type { Position } from '../language/problem.ts';
import { type Path, ValueReader } from '../language/read-value.ts';
import { scenarioShape, type Scenario } from '../language/scenario-shape.ts';
import type { JsonMap } from '../language/shape.ts';
import { ScenarioError } from '../language/variables.ts';

/** @throws ScenarioError when the value is no scenario */
export function writtenScenario(file: string, value: JsonMap): LoadedScenario {
  const reader = new ValueReader(new Document());
  // What is the same object in several places would be an alias there, and nobody could follow it.
  const { contents } = new Document(value, { aliasDuplicateObjects: false });
  const scenario = reader.read(scenarioShape, contents, []);
  const [first] = reader.findings;
  if (first) throw new ScenarioError(first.message);
  return new Written(file, value, scenario as Scenario);
}

class Written implements LoadedScenario {
  readonly file: string;
  readonly scenario: Scenario;
  readonly #value: JsonMap;
  #read: LoadedScenario | undefined;

  constructor(file: string, value: JsonMap, scenario: Scenario) {
    this.file = file;
    this.scenario = scenario;
    this.#value = value;
  }

  get text(): string {
    return this.#loaded.text;
  }

  readonly locate = (path: Path): Position => this.#loaded.locate(path);

  get #loaded(): LoadedScenario {
    return (this.#read ??= loadWritten(this.file, scenarioText(this.#value)) ?? this);
  }
}

/** As somebody would write it. */
export const scenarioText = (value: JsonMap): string =>
  stringify(value, { lineWidth: 110, flowCollectionPadding: true, aliasDuplicateObjects: false });
