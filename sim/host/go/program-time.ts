/** The time at which a Go program is initialized, and the numbers that Go makes of it. */

export interface ProgramTime {
  /** Milliseconds since 1970. */
  readonly wallMs: number;
  /** Milliseconds of the clock that never jumps. */
  readonly elapsedMs: number;
}

export type Form = (time: ProgramTime) => bigint;

const MILLION = 1_000_000n;
const wall = ({ wallMs }: ProgramTime): bigint => BigInt(wallMs);

export const FORMS: readonly Form[] = [
  ({ elapsedMs }) => BigInt(1 + elapsedMs) * MILLION,
  // `time.Time` has seconds in 33 bits above nanoseconds in 30.
  (time) => ((wall(time) / 1000n) << 30n) + (wall(time) % 1000n) * MILLION,
  (time) => wall(time) * MILLION,
  (time) => wall(time) * 1000n,
  wall,
  (time) => wall(time) / 1000n,
  (time) => (wall(time) % 1000n) * MILLION,
];
