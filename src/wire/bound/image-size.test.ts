import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { imageSize } from './image-size.ts'

const side = fc.integer({ min: 1, max: 16_383 })
const body = Buffer.alloc(32, 0x2c)

function png(width: number, height: number): Buffer {
  const file = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([file, size, Buffer.from('0802000000', 'hex'), body])
}

function gif(width: number, height: number): Buffer {
  const size = Buffer.alloc(7)
  size.writeUInt16LE(width)
  size.writeUInt16LE(height, 2)
  return Buffer.concat([Buffer.from('GIF89a'), size, gifFrame(width, height), body])
}

function gifFrame(width: number, height: number): Buffer {
  const head = Buffer.alloc(10)
  head[0] = 0x2c
  head.writeUInt16LE(width, 5)
  head.writeUInt16LE(height, 7)
  return head
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

function frame(width: number, height: number): Buffer {
  const data = Buffer.alloc(15)
  data[0] = 8
  data.writeUInt16BE(height, 1)
  data.writeUInt16BE(width, 3)
  return data
}

const scan = segment(0xda, Buffer.alloc(10))

function jpeg(width: number, height: number, before = 0): Buffer {
  const annexes = Array.from({ length: Math.ceil(before / 65_000) }, () =>
    segment(0xe1, Buffer.alloc(65_000, 0xff)),
  )
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...annexes, segment(0xc2, frame(width, height)), scan])
}

function riff(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(20)
  head.write('RIFF')
  head.write('WEBP', 8)
  head.write(type, 12)
  head.writeUInt32LE(data.length, 16)
  return Buffer.concat([head, data, body])
}

const webp = {
  lossy: (width: number, height: number): Buffer => {
    const data = Buffer.from('0000009d012a00000000', 'hex')
    data.writeUInt16LE(width, 6)
    data.writeUInt16LE(height, 8)
    return riff('VP8 ', data)
  },
  lossless: (width: number, height: number): Buffer => {
    const data = Buffer.alloc(5, 0x2f)
    data.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 1)
    return riff('VP8L', data)
  },
  extended: (width: number, height: number): Buffer => {
    const data = Buffer.alloc(10)
    data.writeUIntLE(width - 1, 4, 3)
    data.writeUIntLE(height - 1, 7, 3)
    return riff('VP8X', data)
  },
}

const formats: readonly (readonly [string, (width: number, height: number) => Buffer])[] = [
  ['PNG', png],
  ['GIF', gif],
  ['JPEG', jpeg],
  ['JPEG with metadata', (width, height) => jpeg(width, height, 200_000)],
  ['lossy WebP', webp.lossy],
  ['lossless WebP', webp.lossless],
  ['extended WebP', webp.extended],
]

function sizeOf(file: Buffer): ReturnType<typeof imageSize> {
  return imageSize(file.toString('base64'))
}

describe.each(formats)('the size of a %s image', (_, fileOf) => {
  it('the size of an image is read from the head of its file', () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        expect(sizeOf(fileOf(width, height))).toEqual({ width, height })
      }),
    )
  })

  it('the size of an image is unknown if the file ends within its head', () => {
    const file = fileOf(640, 480)
    for (let end = 0; end < Math.min(file.length, 64); end++) {
      const size = sizeOf(file.subarray(0, end))
      if (end < 12) expect(size).toBeNull()
      else expect([null, { width: 640, height: 480 }]).toContainEqual(size)
    }
  })

  it('if bytes of the head are changed, the size of the image is positive or unknown', () => {
    const file = fileOf(640, 480)
    const change = fc.tuple(fc.nat(Math.min(file.length, 64) - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
        const changed = Buffer.from(file)
        for (const [at, byte] of changes) changed[at] = byte
        const size = sizeOf(changed)
        if (size === null) return
        expect(Number.isInteger(size.width) && size.width > 0).toBe(true)
        expect(Number.isInteger(size.height) && size.height > 0).toBe(true)
      }),
    )
  })
})

it('the size of a screenshot in the documentation is read', () => {
  const file = readFileSync(new URL('../../../docs/pictures/console-overview.png', import.meta.url))
  expect(sizeOf(file)).toEqual({ width: file.readUInt32BE(16), height: file.readUInt32BE(20) })
})

it('the size is read from base64url and from base64 with escaped slashes', () => {
  const file = jpeg(64, 63)
  const escaped = file.toString('base64').replaceAll('/', String.raw`\/`)
  expect(imageSize(escaped)).toEqual({ width: 64, height: 63 })
  expect(imageSize(file.toString('base64url'))).toEqual({ width: 64, height: 63 })
})

describe('the size of an image is unknown', () => {
  it.each([
    ['for text', Buffer.from('not an image at all, but long enough').toString('base64')],
    ['for text that is not base64', `${png(8, 8).toString('base64').slice(0, 20)} ${'?'.repeat(40)}`],
    ['for a size of zero', png(0, 8).toString('base64')],
    [
      'for a JPEG with two frames, because decoders choose differently',
      Buffer.concat([
        Buffer.from([0xff, 0xd8]),
        segment(0xc0, frame(8, 8)),
        segment(0xc0, frame(8_000, 8_000)),
        scan,
      ]).toString('base64'),
    ],
    ['for a JPEG whose frame follows a megabyte', jpeg(8, 8, 2_000_000).toString('base64')],
    [
      'for a GIF whose first frame exceeds its canvas',
      Buffer.concat([gif(8, 8).subarray(0, 13), gifFrame(9_000, 8), body]).toString('base64'),
    ],
    ['for a lossy WebP without its mark', webp.lossy(8, 8).fill(0, 23, 26).toString('base64')],
  ])('%s', (_, base64) => {
    expect(imageSize(base64)).toBeNull()
  })
})
