import type { Case } from './server.ts'

export declare const cases: readonly Case[]

/**
 * Runs a case.
 * @param sdk the package under test
 * @throws if the package does not behave as the case expects
 */
export declare function play(sdk: object, one: Case, serverUrl: string): Promise<void>
