import { readdirSync, readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    cpuMs?: number
  }
}

declare global {
  var cpuMsCounted: number | undefined
}

// oxlint-disable-next-line no-empty-pattern -- vitest reads the names of fixtures from the pattern
afterAll(({}, { file }) => {
  const cpuMs = cpuMsOfTree(process.pid)
  file.meta.cpuMs = cpuMs - (globalThis.cpuMsCounted ?? 0)
  globalThis.cpuMsCounted = cpuMs
})

/** Includes running and ended descendants. Zero on a system without procfs. */
function cpuMsOfTree(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    // See proc(5): utime, stime, cutime and cstime, in ticks of 10 ms.
    const ownMs = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
    // A process is listed as a child of the thread that started it.
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    )
    return children.reduce((sum, child) => sum + cpuMsOfTree(Number(child)), ownMs)
  } catch {
    // The process ended before its files were read.
    return 0
  }
}
