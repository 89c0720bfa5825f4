import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, statfsSync, writeSync } from 'node:fs'
import { arch, availableParallelism, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { percentile, rounded } from './statistics.ts'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly architecture: string
  readonly kernel: string
  readonly filesystem: string
  /** Median time to append and sync 4 KiB, which is the cost of durability on this disk. */
  readonly fsyncMs: number
}

export interface Versions {
  readonly node: string
  readonly v8: string
  readonly sqlite: string
  readonly undici: string
}

export interface Commit {
  readonly id: string
  readonly isDirty: boolean
}

export function describeMachine(dataFolder: string): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    architecture: arch(),
    kernel: release(),
    filesystem: filesystemOf(dataFolder),
    fsyncMs: rounded(fsyncMs(dataFolder)),
  }
}

export function describeVersions(undici: string): Versions {
  const { node, v8, sqlite } = process.versions
  return { node, v8, sqlite: sqlite ?? 'none', undici }
}

/** Null if the folder is not a git checkout, or has no commit. */
export function describeCommit(folder: string): Commit | null {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    // Result files of earlier runs are not part of the code under test.
    const changes = git('status', '--porcelain', '--', '.', ':!bench/results')
    return { id: git('rev-parse', 'HEAD'), isDirty: changes !== '' }
  } catch {
    return null
  }
}

function fsyncMs(folder: string): number {
  const file = openSync(join(folder, 'fsync-probe'), 'w')
  const page = Buffer.alloc(4096, 1)
  const times: number[] = []
  for (let i = 0; i < 50; i += 1) {
    writeSync(file, page)
    const start = performance.now()
    fsyncSync(file)
    times.push(performance.now() - start)
  }
  closeSync(file)
  return percentile(times, 50)
}

/**
 * Identifies the filesystem by its magic number (statfs(2)). Measurements differ between filesystems: an fsync on tmpfs
 * costs nothing.
 */
function filesystemOf(folder: string): string {
  const names = new Map([
    [0xef53, 'ext4'],
    [0x0102_1994, 'tmpfs'],
    [0x5846_5342, 'xfs'],
    [0x9123_683e, 'btrfs'],
    [0x794c_7630, 'overlayfs'],
  ])
  const { type } = statfsSync(folder)
  return names.get(type) ?? `0x${type.toString(16)}`
}
