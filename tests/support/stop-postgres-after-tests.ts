/**
 * Vitest's global set-up: the PostgreSQL server of the test files ends with the run, and no server of an earlier run is
 * used.
 */
export { removeSharedServer as setup, stopSharedServer as teardown } from './start-postgres.ts'
