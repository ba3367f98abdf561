/**
 * Paths of fields as Kubernetes prints them: `spec.containers[0].env[3].name`,
 * `metadata.annotations[example.com/a]`. An absent path prints `<nil>`.
 */
export class FieldPath {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** `FieldPath.of('spec', 'template')` is `spec.template`. */
  static of(name: string, ...more: readonly string[]): FieldPath {
    return new FieldPath(more.length === 0 ? name : `${name}.${more.join('.')}`);
  }

  child(name: string, ...more: readonly string[]): FieldPath {
    return new FieldPath(`${this.text}.${more.length === 0 ? name : `${name}.${more.join('.')}`}`);
  }

  index(index: number): FieldPath {
    return new FieldPath(`${this.text}[${index}]`);
  }

  key(key: string): FieldPath {
    return new FieldPath(`${this.text}[${key}]`);
  }

  toString(): string {
    return this.text;
  }
}

/** Text of a path that may be absent. */
export const pathText = (path: FieldPath | undefined): string => path?.text ?? '<nil>';
