export const root: string;
export function modifiedAt(path: string): number;
export function isBuilt(): boolean;
