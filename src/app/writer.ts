import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

/** A commit that holds the event loop up for longer than this would be felt in every stream. */
const inlineMsMax = 1
const tries = 9

/**
 * Where the ledger is best written on this disk. On the main thread a call costs about a quarter less
 * CPU, but every commit's fsync holds all streams up; on a thread of its own it holds up nothing. So the
 * disk decides: what it takes to make a page durable, measured where the data will be
 * (docs/decisions/2026-11-21-where-the-ledger-is-written.md).
 */
export function writerForDisk(folder: string): {
  readonly writer: 'thread' | 'inline'
  readonly fsyncMs: number
} {
  const path = join(folder, `fsync-probe-${process.pid}`)
  const file = openSync(path, 'wx', 0o600)
  try {
    const page = Buffer.alloc(16 * 1024)
    const durationsMs = Array.from({ length: tries }, () => {
      const startedMs = performance.now()
      writeSync(file, page)
      fdatasyncSync(file)
      return performance.now() - startedMs
    }).toSorted((a, b) => a - b)
    const fsyncMs = durationsMs[Math.floor(tries / 2)] ?? Infinity
    return { writer: fsyncMs <= inlineMsMax ? 'inline' : 'thread', fsyncMs }
  } finally {
    closeSync(file)
    unlinkSync(path)
  }
}
