import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

const shown = 10
/** Shorter runs print nothing. */
const tellingMs = 20_000

interface Timed {
  readonly name: string
  readonly ms: number
}

/**
 * CPU time does not depend on the other work of the machine. TEST_CPU_FILE names a file that receives the CPU time of
 * every test file.
 */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cpu = modules.map((module) => ({ name: module.relativeModuleId, ms: cpuMsOf(module) }))
    const path = process.env.TEST_CPU_FILE
    if (path !== undefined) writeFileSync(path, JSON.stringify(cpu))
    const files = modules.map((module) => ({
      name: module.relativeModuleId,
      // In a file with few tests, imports take a large part of the time.
      ms: module.diagnostic().duration + module.diagnostic().collectDuration,
    }))
    if (files.reduce((sum, { ms }) => sum + ms, 0) < tellingMs) return
    const tests = modules.flatMap((module) =>
      Array.from(module.children.allTests(), (test) => ({
        name: `${module.relativeModuleId} > ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
      })),
    )
    const projects = Map.groupBy(modules, ({ project }) => project.name)
    print('slowest files', files)
    print('slowest tests', tests)
    print('files with the most CPU time', cpu)
    print(
      'CPU time by project',
      [...projects].map(([name, own]) => ({
        name,
        ms: own.reduce((sum, module) => sum + cpuMsOf(module), 0),
      })),
    )
  }
}

function cpuMsOf(module: TestModule): number {
  return module.meta().cpuMs ?? 0
}

function print(heading: string, timed: readonly Timed[]): void {
  const largest = timed.toSorted((one, other) => other.ms - one.ms).slice(0, shown)
  const lines = largest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${name}`)
  process.stdout.write(`\n ${heading}\n${lines.join('\n')}\n`)
}
