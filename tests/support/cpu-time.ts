/**
 * What a piece of work takes of a processor, in milliseconds. Not by the clock: other work of the machine makes
 * nothing slow here.
 */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The same of the quickest of three: what hangs is slow each time, a compiler or a collector at work is not. */
export function quickestCpuMsOf(work: () => void): number {
  let quickest = Infinity
  for (let i = 0; i < 3 && quickest >= 50; i++) quickest = Math.min(quickest, cpuMsOf(work))
  return quickest
}
