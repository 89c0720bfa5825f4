import { readdirSync, readFileSync } from 'node:fs'

/** Reads measurements of a process from /proc (Linux only). */

/** /proc counts time in ticks of USER_HZ, which is 100 on every architecture that Node supports. */
const microsPerTick = 10_000

/** User and system CPU time of all threads since the process started, including threads that have ended. */
export function cpuMicros(pid: number): number {
  return ticksOf(readFileSync(`/proc/${pid}/stat`, 'latin1')) * microsPerTick
}

/** User and system CPU time of all live threads. More exact than `cpuMicros`, for work that is shorter than a tick. */
export function cpuMsOfThreads(pid: number): number {
  // The first number in `schedstat` is the thread's time on a processor, in nanoseconds (proc(5)).
  const ofThread = (id: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0])
  return readdirSync(`/proc/${pid}/task`).reduce((sum, id) => sum + ofThread(id), 0) / 1e6
}

/** CPU time of a process, and of all its descendants, including those that have ended. */
export function familyCpuMicros(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const ownMicros = (ticksOf(stat) + endedChildrenTicksOf(stat)) * microsPerTick
    return ownMicros + childrenOf(pid).reduce((sum, child) => sum + familyCpuMicros(child), 0)
  } catch {
    // The process has ended since it was listed.
    return 0
  }
}

/** The kernel lists child processes by the thread that started them (proc(5), `task/<tid>/children`). */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
      .trim()
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  )
}

/** By the name of the thread. The times of threads with the same name are added up. */
export function cpuMicrosByThread(pid: number): Map<string, number> {
  const threads = new Map<string, number>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'latin1')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    threads.set(name, (threads.get(name) ?? 0) + ticksOf(stat) * microsPerTick)
  }
  return threads
}

export function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  if (kibibytes === undefined) throw new Error(`no VmRSS for process ${pid}`)
  return Number(kibibytes) * 1024
}

/** The sum of utime and stime, which are fields 14 and 15 of proc(5). */
function ticksOf(stat: string): number {
  const fields = fieldsAfterName(stat)
  return Number(fields[11]) + Number(fields[12])
}

/** The sum of cutime and cstime, which are fields 16 and 17 of proc(5). */
function endedChildrenTicksOf(stat: string): number {
  const fields = fieldsAfterName(stat)
  return Number(fields[13]) + Number(fields[14])
}

/** Returns the fields from the third one on. The process name before them may contain spaces. */
function fieldsAfterName(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
