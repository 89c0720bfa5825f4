import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import type { Failures } from '../../tools/retry/may-failed-tests-run-again.ts'

/** Writes the failures of the run to the file that TEST_FAILURES_FILE names, for tools/retry. */
export default class FailuresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const path = process.env.TEST_FAILURES_FILE
    if (path === undefined) return
    writeFileSync(path, JSON.stringify(failuresOf(modules, unhandledErrors.length)))
  }
}

type SeenModule = Pick<TestModule, 'moduleId' | 'ok'> & {
  readonly children: { allTests(state: 'failed'): Iterable<{ readonly fullName: string }> }
}

export function failuresOf(modules: readonly SeenModule[], otherErrors: number): Failures {
  const files = modules
    .filter((module) => !module.ok())
    .map(({ children, moduleId }) => ({
      path: moduleId.slice(join(import.meta.dirname, '../..').length + 1),
      tests: Array.from(children.allTests('failed'), ({ fullName }) => fullName),
    }))
  return { files, otherErrors }
}
