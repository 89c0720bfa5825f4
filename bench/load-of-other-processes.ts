import { readFileSync } from 'node:fs'
import { cpuMicros } from './process-cpu-and-memory.ts'
import { rounded } from './statistics.ts'

export interface OtherWork {
  /** CPUs that were busy with other processes, on average. */
  readonly cores: number
  /** CPUs that the hypervisor gave to other virtual machines, on average. */
  readonly stolenCores: number
}

/** Returns a function that ends the measurement. The given processes must run until then. */
export function watchOtherWork(pids: readonly number[]): () => OtherWork {
  const startMs = performance.now()
  const before = systemMicros()
  const ownBefore = ownMicros(pids)
  return () => {
    const elapsedMicros = (performance.now() - startMs) * 1000
    const after = systemMicros()
    const others = after.busy - before.busy - (ownMicros(pids) - ownBefore)
    return {
      // Ticks are rounded, so on a quiet machine the result can be slightly negative.
      cores: rounded(Math.max(0, others / elapsedMicros)),
      stolenCores: rounded((after.stolen - before.stolen) / elapsedMicros),
    }
  }
}

function ownMicros(pids: readonly number[]): number {
  return [process.pid, ...pids].reduce((sum, pid) => sum + cpuMicros(pid), 0)
}

/** The first line of /proc/stat has the ticks (10 ms) of user, nice, system, idle, iowait, irq, softirq and steal. */
function systemMicros(): { busy: number; stolen: number } {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n')
  const ticks = line.trim().split(/\s+/).slice(1).map(Number)
  const at = (i: number) => (ticks[i] ?? 0) * 10_000
  return { busy: at(0) + at(1) + at(2) + at(5) + at(6), stolen: at(7) }
}
