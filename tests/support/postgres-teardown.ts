/** Vitest's global set-up: stops the PostgreSQL of the test files with the run. */
export { stopSharedServer as teardown } from './postgres.ts'
