import type { Case } from './server.ts'

export declare const cases: readonly Case[]

/**
 * @param sdk the package
 * @throws when it does not behave as the case says
 */
export declare function play(sdk: object, one: Case, serverUrl: string): Promise<void>
