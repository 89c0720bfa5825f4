/**
 * Measures CPU time, because other work of the machine does not change the CPU time of a piece of work. Only tests in
 * tests/long assert wall-clock time.
 */
import { readFileSync } from 'node:fs'

/**
 * Returns the result of `work`, which must take less than `maxMs` of its thread's processor time.
 *
 * `withinCpu` runs the work up to ten times, and the fastest attempt counts. Slow code is slow in each attempt, while a
 * garbage collection or another program slows down only some attempts.
 * @throws Error with both figures
 */
export function withinCpu<T>(maxMs: number, work: () => T, what = 'the work'): T {
  let quickestMs = Infinity
  for (let i = 0; i < 10; i++) {
    const before = process.threadCpuUsage()
    const given = work()
    const { user, system } = process.threadCpuUsage(before)
    const tookMs = (user + system) / 1000
    if (tookMs < maxMs) return given
    quickestMs = Math.min(quickestMs, tookMs)
  }
  throw new Error(
    `${what} took ${quickestMs.toFixed(1)} ms of CPU time at the quickest, and may take ${maxMs}`,
  )
}

/**
 * In milliseconds, with a resolution of 10 ms. Includes threads that have ended. Works only on Linux, because the
 * function adds up utime and stime of proc(5).
 */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The returned function returns the CPU time of this process since the start, in milliseconds. */
export function cpuClock(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}
