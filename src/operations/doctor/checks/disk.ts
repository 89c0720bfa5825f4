import type { Check } from '#operations/doctor/finding.ts'

const mebibyte = 2 ** 20
const warningBytes = 1024 * mebibyte
const errorBytes = 256 * mebibyte

/** If the disk is full, every request fails, because no hold can be written. */
export const disk: Check = {
  name: 'disk',
  looksAt: 'The room on the disk of the data folder; of PostgreSQL’s own disk nothing is known here.',
  async run({ ports }) {
    const { freeBytes, totalBytes } = await ports.diskSpace()
    if (freeBytes >= warningBytes) return []
    const inMebibytes = (bytes: number): number => Math.floor(bytes / mebibyte)
    return [
      {
        code: 'disk_low',
        severity: freeBytes < errorBytes ? 'error' : 'warning',
        resource: { type: 'server', id: 'disk' },
        message: `The disk of the data folder has ${inMebibytes(freeBytes)} MiB left of ${inMebibytes(totalBytes)}; calls are refused once it is full.`,
        fix: {
          say: 'Make room, for example by tollgate prune, or move the data folder to a larger disk.',
          call: null,
        },
      },
    ]
  },
}
