import { hasPostgres } from './start-postgres.ts'

/** Whether this run is `npm run test:long`, which tests every case of a table, and each property more often. */
export const isLong = process.env.TEST_SUITE === 'long'

export type TestedEngine = 'SQLite' | 'PostgreSQL'

/**
 * The engine for tests that give the same result on each engine: SQLite in `npm test`, PostgreSQL in `npm run
 * test:long`. The conformance suite compares both engines in `npm test`.
 */
export const testedEngines: readonly TestedEngine[] = isLong && hasPostgres ? ['PostgreSQL'] : ['SQLite']

/**
 * Returns every `step`-th case in `npm test`, and all cases in `npm run test:long`.
 *
 * @param step without a common divisor with the lengths of the combined lists, so that each value of a list occurs
 * @param shift different for each table of the same cases, so that the tables together cover all cases
 */
export function sampleOfCases<T>(cases: readonly T[], step: number, shift = 0): readonly T[] {
  return isLong ? cases : cases.filter((_, at) => (at + shift) % step === 0)
}
