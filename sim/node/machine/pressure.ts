/** What a machine may run short of. */
export type Pressure = 'memory' | 'disk' | 'pid';
