import { readdirSync, readFileSync } from 'node:fs'

/** Figures of a process from /proc: Linux only, at no cost to the process. */

/** /proc counts time in ticks of USER_HZ, which is 100 on every architecture Node runs on. */
const microsPerTick = 10_000

/** User and system CPU of all threads since the process started, including ended threads. */
export function cpuMicros(pid: number): number {
  return ticksOf(readFileSync(`/proc/${pid}/stat`, 'latin1')) * microsPerTick
}

/** A process and all its living descendants. */
export function treeCpuMicros(pid: number): number {
  try {
    return cpuMicros(pid) + childrenOf(pid).reduce((sum, child) => sum + treeCpuMicros(child), 0)
  } catch {
    // It has ended since the listing.
    return 0
  }
}

/** The kernel lists children by the thread that started them (proc(5), `task/<tid>/children`). */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
      .trim()
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  )
}

/** CPU by name of live thread; equal names are added up. */
export function cpuMicrosByThread(pid: number): Map<string, number> {
  const threads = new Map<string, number>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'latin1')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    threads.set(name, (threads.get(name) ?? 0) + ticksOf(stat) * microsPerTick)
  }
  return threads
}

/** Resident memory. */
export function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  if (kibibytes === undefined) throw new Error(`no VmRSS for process ${pid}`)
  return Number(kibibytes) * 1024
}

/** utime + stime: fields 14 and 15 of proc(5), counted after the name, which may hold spaces. */
function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}
