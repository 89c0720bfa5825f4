import type { Reporter, TestModule } from 'vitest/node'

const shown = 10
/** A shorter run prints nothing. */
const tellingMs = 20_000

/** Prints the ten slowest files and the ten slowest tests. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({
      name: module.relativeModuleId,
      // Imports take a large part of a file with few tests.
      ms: module.diagnostic().duration + module.diagnostic().collectDuration,
    }))
    if (files.reduce((sum, { ms }) => sum + ms, 0) < tellingMs) return
    const tests = modules.flatMap((module) =>
      Array.from(module.children.allTests(), (test) => ({
        name: `${module.relativeModuleId} > ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
      })),
    )
    print('files', files)
    print('tests', tests)
  }
}

function print(what: string, timed: readonly { readonly name: string; readonly ms: number }[]): void {
  const slowest = timed.toSorted((one, other) => other.ms - one.ms).slice(0, shown)
  const lines = slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${name}`)
  process.stdout.write(`\n The ${slowest.length} slowest ${what}\n${lines.join('\n')}\n`)
}
