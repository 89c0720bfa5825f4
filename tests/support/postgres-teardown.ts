/** Vitest's global set-up: a PostgreSQL that a test file has started is stopped with the run. */
export { stopSharedServer as teardown } from './postgres.ts'
