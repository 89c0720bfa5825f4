import { readFileSync } from 'node:fs'
import { rounded } from './statistics.ts'

export interface OtherWork {
  /** CPUs that were busy with other processes, on average. */
  readonly cores: number
  /** The highest `cores` of ten seconds. 0 if the measurement was shorter. */
  readonly coresMax: number
  /** CPUs that the hypervisor gave to other virtual machines, on average. */
  readonly stolenCores: number
}

/**
 * Returns a function that ends the measurement.
 * @param ownMicros returns the CPU time of the processes that are not counted as other processes
 */
export function watchOtherWork(ownMicros: () => number): () => OtherWork {
  const snapshot = () => ({ atMicros: performance.now() * 1000, own: ownMicros(), ...systemMicros() })
  const first = snapshot()
  let last = first
  let coresMax = 0
  const cores = (from: typeof first, to: typeof first): number =>
    // Ticks are rounded, so on a quiet machine the result can be slightly negative.
    rounded(Math.max(0, (to.busy - from.busy - (to.own - from.own)) / (to.atMicros - from.atMicros)))
  const timer = setInterval(() => {
    const next = snapshot()
    coresMax = Math.max(coresMax, cores(last, next))
    last = next
  }, intervalMs).unref()
  return () => {
    clearInterval(timer)
    const end = snapshot()
    const stolenCores = rounded((end.stolen - first.stolen) / (end.atMicros - first.atMicros))
    return { cores: cores(first, end), coresMax, stolenCores }
  }
}

const intervalMs = 10_000

/** The first line of /proc/stat has the ticks (10 ms) of user, nice, system, idle, iowait, irq, softirq and steal. */
function systemMicros(): { busy: number; stolen: number } {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n')
  const ticks = line.trim().split(/\s+/).slice(1).map(Number)
  const at = (i: number) => (ticks[i] ?? 0) * 10_000
  return { busy: at(0) + at(1) + at(2) + at(5) + at(6), stolen: at(7) }
}
