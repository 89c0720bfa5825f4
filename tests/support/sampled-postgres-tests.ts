/**
 * In `npm test`, a conformance file runs each of its tests on SQLite, and every third test on PostgreSQL too. A test on
 * PostgreSQL takes a quarter of a second of CPU time, mostly for connections and `verify`. `npm run test:long` runs all
 * tests on PostgreSQL.
 */
import { beforeAll, type RunnerTask, type RunnerTestCase } from 'vitest'
import { isLong } from './reduced-suite.ts'

const step = 3

// oxlint-disable-next-line no-empty-pattern -- vitest reads the names of fixtures from the pattern
beforeAll(({}, { file }) => {
  if (isLong || !file.filepath.includes('/tests/store-conformance/')) return
  for (const suite of file.tasks) {
    const name = /^(?<about>.*)PostgreSQL$/.exec(suite.name)?.groups?.['about']
    const isAlsoOnSqlite = file.tasks.some((other) => other.name === `${name}SQLite, writer inline`)
    if (!isAlsoOnSqlite) continue
    for (const [at, test] of testsOf(suite).entries()) {
      if (at % step === 0 || test.mode === 'skip') continue
      test.mode = 'skip'
      test.result = { state: 'skip' }
    }
  }
})

function testsOf(task: RunnerTask): readonly RunnerTestCase[] {
  return task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task]
}
