import type { Check } from './finding-types.ts'

const mebibyte = 2 ** 20
const warningBytes = 1024 * mebibyte
const errorBytes = 256 * mebibyte

/** On a full disk, no hold can be written, so every request fails. */
export const disk: Check = {
  name: 'disk',
  looksAt: 'Free space on the disk of the data folder. The disk of PostgreSQL is not checked.',
  async run({ ports }) {
    const { freeBytes, totalBytes } = await ports.diskSpace()
    if (freeBytes >= warningBytes) return []
    const inMebibytes = (bytes: number): number => Math.floor(bytes / mebibyte)
    return [
      {
        code: 'disk_low',
        severity: freeBytes < errorBytes ? 'error' : 'warning',
        resource: { type: 'server', id: 'disk' },
        message: `The disk of the data folder has ${inMebibytes(freeBytes)} MiB of ${inMebibytes(totalBytes)} MiB left. Requests are rejected when the disk is full.`,
        fix: {
          say: 'Free up space, for example with tollgate prune, or move the data folder to a larger disk.',
          call: null,
        },
      },
    ]
  },
}
