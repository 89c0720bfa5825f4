/** Decides after a run of vitest whether its failures are of tests that may run once more. */

/** The failures of a run, as tests/support/failures-reporter.ts writes them. */
export interface Failures {
  readonly files: readonly FailedFile[]
  /** Number of errors outside of tests, which belong to no file. */
  readonly otherErrors: number
}

export interface FailedFile {
  /** Path from the root of the repository. */
  readonly path: string
  /** Full names of the failed tests. Empty if the file failed outside of its tests. */
  readonly tests: readonly string[]
}

export type Verdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'again'; readonly files: readonly FailedFile[] }

/**
 * Browsers and terminals of an overloaded machine fail tests that have no fault. A test of money, stores, the gateway or
 * wires has no such excuse, so it never runs again.
 */
const pages = /^tests\/(?:long\/)?pages\//
const terminalTests = /^tests\/command-line\//
const usesTerminal = /from '(?:\.\.\/support\/pseudo-terminal\.ts|@lydell\/node-pty)'/

/**
 * @param status exit code of the run
 * @param failures null if the run wrote none, because it did not end by itself
 * @param textOf source of a test file
 */
export function verdictOf(
  status: number,
  failures: Failures | null,
  textOf: (path: string) => string,
): Verdict {
  if (status === 0) return { kind: 'passed' }
  // Without a failed file, the run failed for another reason, for example a coverage threshold.
  if (failures === null || failures.otherErrors > 0 || failures.files.length === 0) return { kind: 'failed' }
  const mayRunAgain = ({ path }: FailedFile): boolean =>
    pages.test(path) || (terminalTests.test(path) && usesTerminal.test(textOf(path)))
  return failures.files.every(mayRunAgain) ? { kind: 'again', files: failures.files } : { kind: 'failed' }
}

/** The lines that name what failed once and then passed. */
export function unsteadyLines({ path, tests }: FailedFile): string[] {
  return tests.length === 0 ? [`unsteady: ${path}`] : tests.map((test) => `unsteady: ${path} > ${test}`)
}
