import { readdirSync, readFileSync } from 'node:fs'

/** Reads /proc (Linux only), without any cost for the measured process. */

export function residentBytesOf(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/**
 * The first number in `schedstat` is the time on a processor, in nanoseconds (proc(5)). The thread whose ID is the
 * process ID is the event loop.
 */
export function loopMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
