/** Time zones by their IANA names: how far a clock on the wall is ahead of UTC at an instant. Pure. */
import { ZONE_TABLE } from './zone-table.ts';

export interface TimeZone {
  /** Seconds that are to be added to UTC. */
  offsetAt(epochSeconds: number): number;
}

const RULE = /^(?:<[^>]+>|[A-Z]+)([^<A-Z,]+)(?:(?:<[^>]+>|[A-Z]+)([^,]*),([^,]+),([^,]+))?$/;
const HOUR = 3600;
const DAY = 86_400;

const rules = new Map<string, string>();
const zones = new Map<string, TimeZone>();

/** Undefined: there is none of that name. The empty name is UTC. */
export function timeZoneOf(name: string): TimeZone | undefined {
  const known = zones.get(name);
  if (known) return known;
  const rule = name === '' ? 'UTC0' : ruleOf(name);
  if (rule === undefined) return undefined;
  const made = zoneBy(rule);
  zones.set(name, made);
  return made;
}

export const isTimeZone = (name: string): boolean => timeZoneOf(name) !== undefined;

/** There are zones below that name, as in a folder. */
export const isZoneFolder = (name: string): boolean =>
  [...allRules().keys()].some((zone) => zone.startsWith(`${name}/`));

const ruleOf = (name: string): string | undefined => allRules().get(name);

function allRules(): ReadonlyMap<string, string> {
  if (rules.size === 0) {
    for (const line of ZONE_TABLE) {
      const [rule = '', ...names] = line.split(' ');
      for (const one of names) rules.set(one, rule);
    }
  }
  return rules;
}

/** By a rule in the form of POSIX, whose offsets count westward. */
function zoneBy(rule: string): TimeZone {
  const [, west = '0', daylight = '', begins, ends] = RULE.exec(rule) ?? [];
  const standard = 0 - secondsIn(west);
  if (begins === undefined || ends === undefined) return { offsetAt: () => standard };
  const summer = daylight === '' ? standard + HOUR : 0 - secondsIn(daylight);
  const [first, last] = [changeIn(begins), changeIn(ends)];
  return {
    offsetAt: (epochSeconds) => {
      const { year } = dateOf(epochSeconds + standard);
      const from = first(year) - standard;
      const to = last(year) - summer;
      const isSummer =
        from < to ? epochSeconds >= from && epochSeconds < to : epochSeconds >= from || epochSeconds < to;
      return isSummer ? summer : standard;
    },
  };
}

/** `1`, `-5:30`, `9:30` hours. */
function secondsIn(text: string): number {
  const [hours = '0', minutes = '0'] = text.replace(/^[+-]/, '').split(':');
  const seconds = Number(hours) * HOUR + Number(minutes) * 60;
  return text.startsWith('-') ? 0 - seconds : seconds;
}

/** `M3.5.0/3`: the fifth (that is, the last) Sunday of March at three, on the clock before the change. */
function changeIn(text: string): (year: number) => number {
  const [day = '', time = '2'] = text.slice(1).split('/');
  const [month = 1, week = 1, weekday = 0] = day.split('.').map(Number);
  return (year) => {
    const first = secondsOfDate(year, month, 1) / DAY;
    const days = secondsOfDate(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1) / DAY - first;
    let date = 1 + ((weekday - weekdayOf(first) + 7) % 7) + (week - 1) * 7;
    while (date > days) date -= 7;
    return (first + date - 1) * DAY + secondsIn(time);
  };
}

/** Of days since 1970, which began on a Thursday; 0: Sunday. */
const weekdayOf = (days: number): number => (((days + 4) % 7) + 7) % 7;

const secondsOfDate = (year: number, month: number, day: number): number =>
  Date.UTC(year, month - 1, day) / 1000;

export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  /** 0: Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** What a clock shows that has counted so many seconds. */
export function dateOf(wallSeconds: number): WallTime {
  const date = new Date(wallSeconds * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}
