import { describe, expect, it } from 'vitest'
import { unsteadyLines, verdictOf, type FailedFile } from '../../tools/retry/may-failed-tests-run-again.ts'
import { failuresOf } from '../support/report-failures-to-file.ts'

const page: FailedFile = {
  path: 'tests/pages/portal-actions-and-numbers.test.ts',
  tests: ['a key > is created'],
}
const longPage: FailedFile = {
  path: 'tests/long/pages/layout-during-late-responses.test.ts',
  tests: ['is late'],
}
const terminal: FailedFile = {
  path: 'tests/command-line/login-tables-and-prompts-in-terminal.test.ts',
  tests: ['asks'],
}
const noTerminal: FailedFile = {
  path: 'tests/command-line/output-formats-for-programs.test.ts',
  tests: ['prints'],
}
const store: FailedFile = { path: 'tests/store/disk-faults.test.ts', tests: ['is full'] }

const textOf = (path: string): string =>
  path === terminal.path ? `import { onScreen } from '../support/run-in-pseudo-terminal.ts'\n` : 'export {}\n'

const verdict = (status: number, files: readonly FailedFile[], otherErrors = 0) =>
  verdictOf(status, { files, otherErrors }, textOf)

describe('a test run', () => {
  it('a run without failures passes', () => {
    expect(verdict(0, [])).toEqual({ kind: 'passed' })
  })

  it.each([[page], [longPage], [terminal], [page, terminal]])(
    'if a run fails only in the files %o, the run repeats these files once',
    (...files) => {
      expect(verdict(1, files)).toEqual({ kind: 'again', files })
    },
  )

  it.each([
    'src/money/money-against-naive-ledger.test.ts',
    'src/wire/chat/usage.test.ts',
    'src/gateway/call.test.ts',
    'tests/store-conformance/reserve-and-settle.test.ts',
    'tests/end-to-end/wrong-credential-limit-and-https.test.ts',
    'tests/control-plane/portal-sessions-data-and-actions.test.ts',
    noTerminal.path,
    store.path,
  ])('a run fails because of %s, even if the only other failure is a page test', (path) => {
    expect(verdict(1, [{ path, tests: ['fails'] }])).toEqual({ kind: 'failed' })
    expect(verdict(1, [page, { path, tests: ['fails'] }])).toEqual({ kind: 'failed' })
  })

  it('a run fails if an error belongs to no test', () => {
    expect(verdict(1, [page], 1)).toEqual({ kind: 'failed' })
  })

  it('a run fails if no test has failed but a coverage threshold is missed', () => {
    expect(verdict(1, [])).toEqual({ kind: 'failed' })
  })

  it('a run fails if it ended before its report', () => {
    expect(verdictOf(137, null, textOf)).toEqual({ kind: 'failed' })
  })
})

it('the report names each unsteady test, and each file that failed outside of its tests', () => {
  expect(unsteadyLines(page)).toEqual([
    'unsteady: tests/pages/portal-actions-and-numbers.test.ts > a key > is created',
  ])
  expect(unsteadyLines({ ...page, tests: [] })).toEqual([
    'unsteady: tests/pages/portal-actions-and-numbers.test.ts',
  ])
})

it('the report of a run lists its failed files and its failed tests', () => {
  const root = new URL('../..', import.meta.url).pathname
  const seen = (path: string, isOk: boolean, ...tests: string[]) => ({
    moduleId: root + path,
    ok: () => isOk,
    children: { allTests: () => tests.map((fullName) => ({ fullName })) },
  })
  const modules = [seen(store.path, true), seen(page.path, false, 'a key > is created')]
  expect(failuresOf(modules, 2)).toEqual({ files: [page], otherErrors: 2 })
})
