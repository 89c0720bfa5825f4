import { idSource, type IdSource } from '#domain/ids-sorted-by-time.ts'
import { randomFrom } from './seeded-random.ts'

export interface Drawn {
  readonly ids: number
  readonly bytes: number
}

export interface RepeatableSecrets {
  readonly newId: IdSource
  readonly randomByte: () => number
  drawn(): Drawn
  /** Continues after the last ID and byte of another source. The clocks of both sources must show the same time. */
  continueFrom(drawn: Drawn): void
}

export function repeatableSecrets(nowMs: () => number): RepeatableSecrets {
  const seeded = randomFrom(1)
  let ids = 0
  let bytes = 0
  const randomByte = (): number => {
    bytes += 1
    return seeded.whole(0, 255)
  }
  const next = idSource(nowMs, (block) => {
    for (const at of block.keys()) block[at] = randomByte()
  })
  const newId: IdSource = () => {
    ids += 1
    return next()
  }
  return {
    newId,
    randomByte,
    drawn: () => ({ ids, bytes }),
    continueFrom(drawn) {
      // The first ID takes all random bytes that the IDs of one millisecond need. The order of the other source's IDs
      // and bytes therefore does not matter.
      while (ids < drawn.ids) newId()
      while (bytes < drawn.bytes) randomByte()
    },
  }
}
