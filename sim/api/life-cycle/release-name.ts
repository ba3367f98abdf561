/** Releases by their names: `1.31`. */

export type ReleaseName = string;

const NAME = /^v?1\.([0-9]{1,3})(\.[0-9]+)?$/;

/** Undefined: it is no name of a release. */
export const parseReleaseName = (text: string): ReleaseName | undefined => {
  const minor = NAME.exec(text)?.[1];
  return minor === undefined ? undefined : `1.${Number(minor)}`;
};

/** For comparisons: `1.9` is before `1.10`. */
export const releaseNumber = (name: ReleaseName): number => Number(name.slice(name.indexOf('.') + 1));
