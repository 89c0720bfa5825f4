import { constants, deflateRawSync, deflateSync, inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { afterZlibHeader, inflate } from './inflate.ts'

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }),
  fc.array(fc.constantFrom(0, 1, 65, 66), { maxLength: 3000 }).map((list) => Uint8Array.from(list)),
  fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(2000)).map(([some, times]) => {
    const all = new Uint8Array(some.length * times)
    for (let at = 0; at < all.length; at++) all[at] = some[at % some.length] ?? 0
    return all
  }),
  fc.lorem({ maxCount: 300 }).map((text) => Buffer.from(text)),
)
const anyOptions = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  strategy: fc.constantFrom(
    constants.Z_DEFAULT_STRATEGY,
    constants.Z_FIXED,
    constants.Z_HUFFMAN_ONLY,
    constants.Z_RLE,
  ),
  memLevel: fc.integer({ min: 1, max: 9 }),
})

function isBeginning(part: Uint8Array = new Uint8Array(), whole: Uint8Array): boolean {
  return Buffer.compare(part, whole.subarray(0, part.length)) === 0
}

describe('inflate', () => {
  it('inflate returns the original bytes of data that zlib has compressed, wherever the compressed data begins', () => {
    fc.assert(
      fc.property(anyBytes, anyOptions, fc.nat(5), (bytes, options, before) => {
        const data = Buffer.concat([
          Buffer.alloc(before, 7),
          deflateRawSync(bytes, options),
          Buffer.from('more'),
        ])
        const result = inflate(data, before, bytes.length)
        expect(result?.isComplete).toBe(true)
        expect(Buffer.compare(result?.bytes ?? Buffer.alloc(0), bytes)).toBe(0)
      }),
      { numRuns: 600 },
    )
  })

  it('inflate returns the beginning of the data if the result is too large or the data ends early', () => {
    fc.assert(
      fc.property(anyBytes, anyOptions, fc.nat(3000), fc.nat(3000), (bytes, options, max, end) => {
        const data = deflateRawSync(bytes, options)
        const small = inflate(data, 0, Math.min(max, Math.max(0, bytes.length - 1)))
        expect(small?.isComplete).toBe(bytes.length === 0)
        expect(isBeginning(small?.bytes, bytes)).toBe(true)
        expect(small?.bytes.length).toBe(Math.min(max, Math.max(0, bytes.length - 1)))
        if (end >= data.length) return
        const short = inflate(data.subarray(0, end), 0, bytes.length)
        expect(short?.isComplete).toBe(false)
        expect(isBeginning(short?.bytes, bytes)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('inflate accepts and rejects the same data as zlib, and never throws', () => {
    const damaged = fc.tuple(
      anyBytes,
      anyOptions,
      fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 4 }),
    )
    const any = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      damaged.map(([bytes, options, changes]) => {
        const data = Uint8Array.from(deflateRawSync(bytes, options))
        for (const [at, byte] of changes) if (at < data.length) data[at] = byte
        return data
      }),
    )
    fc.assert(
      fc.property(any, (data) => {
        const result = inflate(data, 0, 1 << 20)
        let theirs: Buffer | null = null
        try {
          theirs = inflateRawSync(data, { maxOutputLength: 1 << 20 })
        } catch {
          // zlib also rejects incomplete codes, whereas `inflate` checks only the codes that the data uses.
          return
        }
        expect(result?.isComplete).toBe(true)
        expect(Buffer.compare(result?.bytes ?? Buffer.alloc(0), theirs)).toBe(0)
      }),
      sampledRuns(3000),
    )
  })

  it('inflate allocates no more memory than the result, even for a decompression bomb', () => {
    const bomb = deflateRawSync(Buffer.alloc(50_000_000))
    expect(inflate(bomb, 0, 10_000)).toMatchObject({ isComplete: false, bytes: { length: 10_000 } })
    expect(inflate(bomb, 0, 0)).toMatchObject({ isComplete: false, bytes: { length: 0 } })
  })

  it('the position of the data after a zlib header is found', () => {
    const data = deflateSync('some text')
    expect(afterZlibHeader(data, 0)).toBe(2)
    expect(Buffer.from(inflate(data, 2, 99)?.bytes ?? []).toString()).toBe('some text')
    for (const other of ['', 'x', 'plain']) expect(afterZlibHeader(Buffer.from(other), 0)).toBeNull()
  })
})
