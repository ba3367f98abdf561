/**
 * Sets of field paths, as tries of path elements: who manages what is told in such sets, and all of server-side
 * apply is algebra on them. Immutable; operations give back the very set that they were given if nothing changes,
 * so that unchanged sets keep their encoded form. Specification: "Server-side apply".
 */

import type { JsonObject } from '../object.ts';
import { type PathElement, sortedElements } from './path-element.ts';

const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

export class FieldSet {
  /** Whether the path that leads here is in the set; of a whole set, whether the object as such is. */
  readonly isMember: boolean;
  /** Sets below this path; none of them is empty. */
  readonly children: ReadonlyMap<PathElement, FieldSet>;
  /** The encoded form, kept for whoever made it: of a whole set, and of one that is a part of another. */
  encoded: JsonObject | undefined = undefined;
  encodedAsPart: JsonObject | undefined = undefined;
  /** Whether it is the one set with these paths. */
  isInterned = false;

  private constructor(isMember: boolean, children: ReadonlyMap<PathElement, FieldSet>) {
    this.isMember = isMember;
    this.children = children;
  }

  static readonly EMPTY = new FieldSet(false, NO_CHILDREN);
  /** A path with nothing below it. */
  static readonly LEAF = new FieldSet(true, NO_CHILDREN);

  static of(isMember: boolean, children: ReadonlyMap<PathElement, FieldSet>): FieldSet {
    if (children.size > 0) return new FieldSet(isMember, children);
    return isMember ? FieldSet.LEAF : FieldSet.EMPTY;
  }

  static ofPaths(paths: readonly (readonly PathElement[])[]): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path, FieldSet.LEAF);
    return builder.build();
  }

  get isEmpty(): boolean {
    return !this.isMember && this.children.size === 0;
  }

  has(path: readonly PathElement[]): boolean {
    return path.reduce((set: FieldSet, element) => set.below(element), this).isMember;
  }

  /** The set of what lies below an element. */
  below(element: PathElement): FieldSet {
    return this.children.get(element) ?? FieldSet.EMPTY;
  }

  union(other: FieldSet): FieldSet {
    if (this === other || other.isEmpty) return this;
    if (this.isEmpty) return other;
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, theirs] of other.children) {
      const ours = this.children.get(element);
      const both = ours ? ours.union(theirs) : theirs;
      if (both === ours) continue;
      children ??= new Map(this.children);
      children.set(element, both);
    }
    const isMember = this.isMember || other.isMember;
    return children || isMember !== this.isMember ? FieldSet.of(isMember, children ?? this.children) : this;
  }

  intersection(other: FieldSet): FieldSet {
    if (this === other || this.isEmpty) return this;
    if (other.isEmpty) return other;
    const children = new Map<PathElement, FieldSet>();
    for (const [element, ours] of this.children) {
      const theirs = other.children.get(element);
      const both = theirs && ours.intersection(theirs);
      if (both && !both.isEmpty) children.set(element, both);
    }
    return FieldSet.of(this.isMember && other.isMember, children);
  }

  /** Paths of this set that the other does not have; what lies below a path of the other stays. */
  difference(other: FieldSet): FieldSet {
    return this.without(other, false);
  }

  /** Paths of this set that are neither in the other nor below one of its paths. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.without(other, true);
  }

  private without(other: FieldSet, isRecursive: boolean): FieldSet {
    if (other.isEmpty || this.isEmpty) return this;
    if (isRecursive && other.isMember) return FieldSet.EMPTY;
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, theirs] of other.children) {
      const ours = this.children.get(element);
      const left = ours?.without(theirs, isRecursive);
      if (left === undefined || left === ours) continue;
      children ??= new Map(this.children);
      if (left.isEmpty) children.delete(element);
      else children.set(element, left);
    }
    const isMember = this.isMember && !other.isMember;
    return children || isMember !== this.isMember ? FieldSet.of(isMember, children ?? this.children) : this;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.isMember !== other.isMember || this.children.size !== other.children.size) return false;
    for (const [element, ours] of this.children) {
      const theirs = other.children.get(element);
      if (!theirs || !ours.equals(theirs)) return false;
    }
    return true;
  }

  /** Elements in the order in which fieldsV1 and messages list them. */
  sortedElements(): readonly PathElement[] {
    return sortedElements([...this.children.keys()]);
  }

  /** All paths: at every level first those that end there, then those that go deeper. */
  paths(): readonly (readonly PathElement[])[] {
    const found: (readonly PathElement[])[] = [];
    this.collect([], found);
    return found;
  }

  private collect(prefix: readonly PathElement[], found: (readonly PathElement[])[]): void {
    const elements = this.sortedElements();
    for (const element of elements) if (this.below(element).isMember) found.push([...prefix, element]);
    for (const element of elements) this.below(element).collect([...prefix, element], found);
  }
}

/** Most have nothing below them but a set that was given. */
class BuilderNode {
  set: FieldSet | undefined;
  children: Map<PathElement, BuilderNode> | undefined;

  below(element: PathElement): BuilderNode {
    this.children ??= new Map();
    let node = this.children.get(element);
    if (node === undefined) this.children.set(element, (node = new BuilderNode()));
    return node;
  }

  build(): FieldSet {
    if (this.children === undefined) return this.set ?? FieldSet.EMPTY;
    const children = new Map<PathElement, FieldSet>();
    for (const [element, node] of this.children) children.set(element, node.build());
    const built = FieldSet.of(false, children);
    return this.set ? built.union(this.set) : built;
  }
}

/** Puts a set together from parts. */
export class FieldSetBuilder {
  private root: BuilderNode | undefined;

  /** Adds a set below a path. */
  insert(path: readonly PathElement[], set: FieldSet): void {
    let node = (this.root ??= new BuilderNode());
    for (const element of path) node = node.below(element);
    node.set = node.set ? node.set.union(set) : set;
  }

  build(): FieldSet {
    return this.root?.build() ?? FieldSet.EMPTY;
  }
}
