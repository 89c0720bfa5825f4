import { readdirSync, readFileSync } from 'node:fs'

/** Measurements of a process from /proc (Linux only), which cost the process nothing. */

/** Returns the resident memory of a process, in bytes. */
export function residentBytesOf(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}

/** Returns the number of open file descriptors of a process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/**
 * Returns the time that the event loop of a process has used a processor, in milliseconds. By proc(5), the first number
 * is the nanoseconds on a processor. The thread with the ID of its process is the event loop.
 */
export function loopMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
