/** The failures of a test run, as tests/support/report-failures-to-file.ts writes them. */
export interface Failures {
  readonly files: readonly FailedFile[]
  /** Errors outside of tests, which cannot be assigned to a file. */
  readonly otherErrors: number
}

export interface FailedFile {
  readonly path: string
  /** Empty if the error occurred outside of the file's tests. */
  readonly tests: readonly string[]
}

export type Verdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'again'; readonly files: readonly FailedFile[] }

/**
 * On an overloaded machine, tests with browsers and terminals can fail although the code is correct. Tests of money,
 * stores, the gateway and wires do not depend on the load, so they never run again.
 */
const pages = /^tests\/(?:long\/)?pages\//
const terminalTests = /^tests\/command-line\//
const usesTerminal = /from '(?:\.\.\/support\/run-in-pseudo-terminal\.ts|@lydell\/node-pty)'/

/**
 * @param status exit code of the test run
 * @param failures null if the run wrote no failures, because it was ended from outside
 * @param textOf returns the source text of a test file
 */
export function verdictOf(
  status: number,
  failures: Failures | null,
  textOf: (path: string) => string,
): Verdict {
  if (status === 0) return { kind: 'passed' }
  // If no file failed, the run failed for another reason, such as a coverage threshold.
  if (failures === null || failures.otherErrors > 0 || failures.files.length === 0) return { kind: 'failed' }
  const mayRunAgain = ({ path }: FailedFile): boolean =>
    pages.test(path) || (terminalTests.test(path) && usesTerminal.test(textOf(path)))
  return failures.files.every(mayRunAgain) ? { kind: 'again', files: failures.files } : { kind: 'failed' }
}

export function unsteadyLines({ path, tests }: FailedFile): string[] {
  return tests.length === 0 ? [`unsteady: ${path}`] : tests.map((test) => `unsteady: ${path} > ${test}`)
}
