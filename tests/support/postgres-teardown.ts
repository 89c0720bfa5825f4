/**
 * Vitest's global set-up: the PostgreSQL of the test files ends with the run, and no PostgreSQL of an earlier run is
 * used.
 */
export { removeSharedServer as setup, stopSharedServer as teardown } from './postgres.ts'
