/** Switches as flags of servers have them: `a=true,b=false`. */
export const assignments = (flags: Readonly<Record<string, boolean>>): string =>
  Object.entries(flags)
    .map(([name, isOn]) => `${name}=${isOn}`)
    .join(',');
