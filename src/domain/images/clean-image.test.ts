/** Threat 102: a stored image contains only image data, even if the uploaded file contained other data. */
import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { sidePxMax } from './image-reader-types.ts'
import { type CleanImage, type ImageFault, readImage } from './clean-image.ts'

// An image of 16 x 16 pixels from CPython's tests (Lib/test/test_email/data, PSF license).
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/2wBDAQMDAwQDBAgEBAgQCwkLEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBD/wAARCAAQABADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABwQF/8QAJBAAAQQBBAICAwAAAAAAAAAAAQIDBAYFBwgSExEiABQJMTL/xAAVAQEBAAAAAAAAAAAAAAAAAAAABv/EACMRAAECBQMFAAAAAAAAAAAAAAECEQMEBQYhABIxFRZhgeH/2gAMAwEAAhEDEQA/ABSm0mobc8HmExLUlRzzEWPkJWW+ulrsaUVAseUgslSlH9LKuPryIKuWPZdskzXmm3fX5m2nF4GlVxx/HOpx4ks51+MiU/Iaad7UcUo4tILoS4kqcWkezS0hO/HvuRp0rO6hWnWO1UisZVuFi4GFeyEpmGepa5S5SWVPuciFKRFLgSrwetnyPIB+Vb4N9mKhQMzo5po9XLdDs9d6ZVix2VEhiL9kuNPxw2gEKcDQ/rs8AuA8VAe0vdl7VOYn+27flGAUgmITjbhSmCg3BYlyeWDkMolvw4KOp1KM6iCNvngZHwetf//Z',
  'base64',
)
// A WebP image in the extended format, with an alpha plane and a lossy frame.
const webp = Buffer.from(
  'UklGRqgBAABXRUJQVlA4WAoAAAAQAAAADwAADwAAQUxQSMMAAAABJ6KokSTleucYX+ffKpmImP90cY3gJjDi4Yt3MsjBEVyDKzDosHgVjnhRNcEIDAJPkqBqsFUZHNa2bUYvTsZ2PLbtd/uvKa4hov9J0f2PkPe6REkkGzolkTTzFG0Ox9PlFiD0CxS+kOGDtxoynjaCfx0pfk52CPuInrOR75lzRugygtv4zEiy90UwfSD9NheMITJWLaXWayO8XeOlWRXVnIGk2W6WdYoYMQ+KqixQNPowgt+6a1BSKbUtz+lUFAoBAAAAVlA4IL4AAACQAgCdASoQABAAAwA0JbACdDBPCIUMfAMdCCz96AD+/XSg/QKbH4r3Q3ycN/bSDK/T/zVo4u6nvclvG/SqxWOuup+XhN9BojvaW+Tv+MvxvX/hr/o/5Qns9LtmX/+qKdl/yWznhuasl7nkxvSTI4xf3Y85VSB/lU/8Ofj/b9JrA+ifvIOYZm2x1RP/dhfmsf5diuSfR7+z+r/+HR3zEo/+XM/B+vkYw73Pzx+ROaAB/ZoBSzEs3rzZe6qsAAAA',
  'base64',
)
/** A lossless frame of 2 x 3 pixels, with only the data that a reader of the frame's header needs. */
const lossless = riff(riffChunk('VP8L', Buffer.from([0x2f, 0x01, 0x80, 0x00, 0x00, 0x07, 0x10, 0x11])))

function pngChunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}

interface Png {
  readonly width: number
  readonly height: number
  readonly depth?: number
  readonly color?: number
  readonly interlace?: number
  readonly pixels?: Uint8Array
  /** The compressed data, which replaces `pixels`. */
  readonly data?: Uint8Array
  readonly before?: readonly Buffer[]
  readonly after?: readonly Buffer[]
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function png({
  after = [],
  before = [],
  color = 2,
  data,
  depth = 8,
  height,
  interlace = 0,
  pixels,
  width,
}: Png): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([depth, color, 0, 0, interlace], 8)
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[color] ?? 1
  const plain = Buffer.alloc(height * (1 + Math.ceil((width * samples * depth) / 8)))
  const packed = data ?? deflateSync(pixels ?? plain)
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    ...before,
    pngChunk('IDAT', packed),
    ...after,
    pngChunk('IEND'),
  ])
}

function riffChunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

function riff(...chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  const head = Buffer.alloc(8)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

function chunksOf(file: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 12; at < file.length;) {
    const length = file.readUInt32LE(at + 4)
    chunks.push(file.subarray(at, at + 8 + length + (length & 1)))
    at += 8 + length + (length & 1)
  }
  return chunks
}

function segment(marker: number, data: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

function withSegment(marker: number, data: Uint8Array): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), segment(marker, data), jpeg.subarray(2)])
}

const isImage = (found: CleanImage | ImageFault): found is CleanImage => !('fault' in found)

async function cleaned(type: string, bytes: Uint8Array): Promise<CleanImage> {
  const found = await readImage(type, bytes)
  if (!isImage(found)) throw new Error(found.fault)
  return found
}

async function fault(type: string, bytes: Uint8Array): Promise<string> {
  const found = await readImage(type, bytes)
  return isImage(found) ? 'none' : found.fault
}

const small = png({ width: 3, height: 2 })
const files = [
  ['image/png', small],
  ['image/jpeg', jpeg],
  ['image/webp', webp],
  ['image/webp', lossless],
] as const

describe('threat 102: an uploaded image', () => {
  it('an uploaded image is stored unchanged if it contains only image data', async () => {
    expect(await cleaned('image/png', small)).toMatchObject({ widthPx: 3, heightPx: 2 })
    expect(Buffer.from((await cleaned('image/png', small)).bytes).equals(small)).toBe(true)
    expect(await cleaned('image/jpeg', jpeg)).toMatchObject({ widthPx: 16, heightPx: 16 })
    expect(await cleaned('image/webp', webp)).toMatchObject({ widthPx: 16, heightPx: 16 })
    expect(Buffer.from((await cleaned('image/webp', webp)).bytes).equals(webp)).toBe(true)
    expect(await cleaned('image/webp', lossless)).toMatchObject({ widthPx: 2, heightPx: 3 })
  })

  it('an uploaded image may be a PNG of each color type, interlaced or not', async () => {
    const palette = pngChunk('PLTE', Buffer.alloc(6, 9))
    for (const [color, depths] of [
      [0, [1, 2, 4, 8, 16]],
      [2, [8, 16]],
      [3, [1, 2, 4, 8]],
      [4, [8, 16]],
      [6, [8, 16]],
    ] as const) {
      for (const depth of depths) {
        const before = color === 3 ? [palette] : []
        expect(await fault('image/png', png({ width: 5, height: 3, color, depth, before }))).toBe('none')
      }
    }
    // An image of 5 x 3 pixels with one byte each. Interlace passes 1, 2 and 4 have one row of 1 pixel each. Interlace
    // pass 3 is empty. Interlace pass 5 has one row of 3 pixels, pass 6 has two rows of 2, and pass 7 has one row of 5.
    const rows = [1, 1, 1, 3, 2, 2, 5]
    const pixels = Buffer.alloc(rows.reduce((sum, row) => sum + row + 1, 0))
    expect(await fault('image/png', png({ width: 5, height: 3, color: 0, interlace: 1, pixels }))).toBe(
      'none',
    )
  })

  it('an uploaded image is stored without text, Exif, color profiles and all other metadata', async () => {
    const canary = Buffer.from('<script>canary</script>')
    const dirtyPng = png({
      width: 3,
      height: 2,
      before: ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'iCCP', 'tIME', 'pHYs'].map((type) => pngChunk(type, canary)),
      after: [pngChunk('tEXt', canary)],
    })
    const dirtyJpeg = Buffer.concat([
      jpeg.subarray(0, 2),
      ...[0xe1, 0xe2, 0xed, 0xee, 0xef, 0xfe].map((marker) => segment(marker, canary)),
      jpeg.subarray(2),
    ])
    const [extended, ...rest] = chunksOf(webp)
    const head = Buffer.from(extended ?? '')
    head.writeUInt8(0x3c, 8)
    const dirtyWebp = riff(
      head,
      riffChunk('ICCP', canary),
      ...rest,
      riffChunk('EXIF', canary),
      riffChunk('XMP ', canary),
    )
    for (const [type, dirty, clean] of [
      ['image/png', dirtyPng, small],
      ['image/jpeg', dirtyJpeg, jpeg],
      ['image/webp', dirtyWebp, webp],
    ] as const) {
      expect(dirty.includes(canary)).toBe(true)
      const { bytes } = await cleaned(type, dirty)
      expect(Buffer.from(bytes).includes(canary)).toBe(false)
      expect(Buffer.from(bytes).equals(Buffer.from((await cleaned(type, clean)).bytes))).toBe(true)
    }
    // The JFIF segment also counts as metadata.
    expect(Buffer.from((await cleaned('image/jpeg', jpeg)).bytes).includes('JFIF')).toBe(false)
    // Adobe's segment consists of twelve numbers and cannot contain other data.
    const adobe = Buffer.from('Adobe\0\x64\0\0\0\0\x01', 'latin1')
    expect(Buffer.from((await cleaned('image/jpeg', withSegment(0xee, adobe))).bytes).includes('Adobe')).toBe(
      true,
    )
  })

  it('an uploaded image must match its declared type, and is never a document', async () => {
    for (const [type, bytes] of files) {
      for (const other of ['image/png', 'image/jpeg', 'image/webp']) {
        if (other !== type) expect(await fault(other, bytes)).toContain('does not start like')
      }
    }
    const documents = [
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      '<html><script>alert(1)</script>',
      'GIF89a',
      '%PDF-1.7',
      '',
    ]
    for (const text of documents) {
      for (const type of ['image/png', 'image/jpeg', 'image/webp']) {
        expect(await fault(type, Buffer.from(text))).toContain('does not start like')
      }
    }
    expect(await fault('image/svg+xml', Buffer.from(documents[0] ?? ''))).toContain('the accepted types are')
  })

  it('a stored image contains nothing after its end, so it cannot be a file of another type at the same time', async () => {
    const zip = Buffer.from('PK\x05\x06<script>')
    for (const [type, bytes] of files) {
      expect(await fault(type, Buffer.concat([bytes, zip]))).not.toBe('none')
      expect(await fault(type, Buffer.concat([bytes, bytes]))).not.toBe('none')
      expect(await fault(type, Buffer.concat([bytes, Buffer.alloc(1)]))).not.toBe('none')
    }
    // An image is rejected if data follows the compressed pixels, or if there are more pixels than the header states.
    const data = Buffer.concat([deflateSync(Buffer.alloc(20)), zip])
    expect(await fault('image/png', png({ width: 3, height: 2, data }))).toContain(
      'its image data does not match',
    )
    const pixels = Buffer.alloc(21)
    expect(await fault('image/png', png({ width: 3, height: 2, pixels }))).toContain(
      'its image data does not match',
    )
  })

  it('an uploaded image is at most 2000 pixels wide and high, even if the compressed data is small', async () => {
    const side = sidePxMax
    expect(await fault('image/png', png({ width: side, height: 1 }))).toBe('none')
    expect(await fault('image/png', png({ width: side + 1, height: 1 }))).toContain('2001 x 1 pixels')
    expect(await fault('image/png', png({ width: 30_000, height: 30_000, data: deflateSync('') }))).toContain(
      '30000 x 30000',
    )
    expect(await fault('image/png', png({ width: 0, height: 1 }))).toBe('it has a width or height of 0')
    const bomb = deflateSync(Buffer.alloc(50_000_000))
    expect(bomb.length).toBeLessThan(100_000)
    expect(await fault('image/png', png({ width: 3, height: 2, data: bomb }))).toContain(
      'its image data does not match',
    )
    const wide = Buffer.from(jpeg)
    wide.writeUInt16BE(side + 1, wide.indexOf(Buffer.from([0xff, 0xc0])) + 7)
    expect(await fault('image/jpeg', wide)).toContain('2001 x 16')
    const [extended, ...rest] = chunksOf(webp)
    const canvas = Buffer.from(extended ?? '')
    canvas.writeUIntLE(side, 12, 3)
    expect(await fault('image/webp', riff(canvas, ...rest))).toContain('2001 x 16')
    canvas.writeUIntLE(16, 12, 3)
    expect(await fault('image/webp', riff(canvas, ...rest))).toContain('the size of its image differs')
  })

  it('an uploaded image is rejected if it is animated', async () => {
    for (const type of ['acTL', 'fcTL', 'fdAT']) {
      const before = [pngChunk(type, Buffer.alloc(8))]
      expect(await fault('image/png', png({ width: 3, height: 2, before }))).toBe('it is animated')
    }
    const [extended, ...rest] = chunksOf(webp)
    const head = Buffer.from(extended ?? '')
    head.writeUInt8(0x12, 8)
    expect(await fault('image/webp', riff(head, ...rest))).toBe('it is animated')
    expect(
      await fault('image/webp', riff(extended ?? head, riffChunk('ANMF', Buffer.alloc(16)), ...rest)),
    ).toBe('it is animated')
  })

  it('an uploaded image is rejected if parts are missing, repeated, unknown, invalid or in the wrong order', async () => {
    const parts: readonly (readonly [string, Buffer, string])[] = [
      ['image/png', png({ width: 3, height: 2, color: 3 }), 'it has no palette'],
      [
        'image/png',
        png({ width: 3, height: 2, after: [pngChunk('PLTE', Buffer.alloc(3))] }),
        'its palette is misplaced',
      ],
      [
        'image/png',
        png({ width: 3, height: 2, after: [pngChunk('tEXt'), pngChunk('IDAT')] }),
        'its image data is not contiguous',
      ],
      ['image/png', png({ width: 3, height: 2, before: [pngChunk('ABCD')] }), 'which is not accepted'],
      [
        'image/png',
        png({ width: 3, height: 2, before: [pngChunk('IHDR', Buffer.alloc(13))] }),
        'which is not accepted',
      ],
      [
        'image/png',
        png({ width: 3, height: 2, pixels: Buffer.alloc(20, 5) }),
        'its image data does not match',
      ],
      [
        'image/jpeg',
        withSegment(0xc4, Buffer.from([0, ...Array<number>(16).fill(255)])),
        'its Huffman tables are invalid',
      ],
      ['image/jpeg', withSegment(0xdb, Buffer.alloc(65)), 'its quantization tables are invalid'],
      ['image/jpeg', withSegment(0xdc, Buffer.alloc(2)), 'is not supported'],
      ['image/jpeg', withSegment(0xc9, Buffer.alloc(9)), 'is not supported'],
      ['image/webp', riff(...chunksOf(lossless), ...chunksOf(lossless)), 'it contains two images'],
      [
        'image/webp',
        riff(...chunksOf(lossless), riffChunk('EXIF', Buffer.alloc(2))),
        'it has data after the image',
      ],
    ]
    for (const [type, bytes, reason] of parts) expect(await fault(type, bytes)).toContain(reason)
  })
})

describe('threat 102: a progressive JPEG', () => {
  const head = Buffer.from([0xff, 0xd8])
  const end = Buffer.from([0xff, 0xd9])
  const tables = (...dc: number[]) =>
    Buffer.concat([
      segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
      ...dc.map((name) => segment(0xc4, Buffer.from([name, 1, ...Array<number>(15).fill(0), 0]))),
    ])
  const frame = segment(0xc2, Buffer.from([8, 0, 8, 0, 8, 1, 1, 0x11, 0]))
  const scan = (first: number, last: number, bits = 0) =>
    Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, first, last, bits])), Buffer.from([0x55, 0xff, 0])])

  it('a progressive JPEG is accepted if its first scan contains the first coefficient', async () => {
    const file = [head, tables(0x00, 0x10), frame, scan(0, 0), scan(1, 63, 0x01), scan(1, 63, 0x10), end]
    expect(await cleaned('image/jpeg', Buffer.concat(file))).toMatchObject({ widthPx: 8, heightPx: 8 })
  })

  it('a progressive JPEG is rejected if its tables or its end are missing, if its order is wrong, or if it has too many scans', async () => {
    const both = tables(0x00, 0x10)
    const many = Array.from({ length: 64 }, () => scan(1, 63))
    for (const [parts, reason] of [
      [[head, tables(0x10), frame, scan(0, 0), end], 'its scans are invalid'],
      [[head, tables(0x00), frame, scan(1, 63), end], 'its scans are invalid'],
      [[head, both, frame, scan(0, 63), end], 'its scans are invalid'],
      [[head, both, frame, scan(5, 64), end], 'its scans are invalid'],
      [[head, both, frame, scan(0, 0, 0x20), end], 'its scans are invalid'],
      [[head, both, frame, scan(1, 63), end], 'a color component is missing'],
      [[head, both, scan(0, 0), end], 'the image data comes before the image size'],
      [[head, both, frame, frame, scan(0, 0), end], 'it has two frames'],
      [[head, both, frame, scan(0, 0), ...many, end], 'more than 64 scans'],
      [[head, both, frame, scan(0, 0)], 'it ends in the middle of the image data'],
    ] as const) {
      expect(await fault('image/jpeg', Buffer.concat(parts))).toContain(reason)
    }
  })

  it('a progressive JPEG has restart markers only at its declared interval', async () => {
    const restarts = Buffer.concat([scan(0, 0), Buffer.from([0xff, 0xd0, 0x55])])
    const interval = segment(0xdd, Buffer.from([0, 1]))
    const whole = (parts: readonly Buffer[]) =>
      Buffer.concat([head, tables(0x00, 0x10), frame, ...parts, end])
    expect(await fault('image/jpeg', whole([interval, restarts]))).toBe('none')
    expect(await fault('image/jpeg', whole([restarts]))).not.toBe('none')
  })
})

describe('threat 102: a damaged file', () => {
  for (const [type, bytes] of files) {
    it(`${type} (${bytes.length} bytes): an image is rejected if its file is cut off after any byte`, async () => {
      for (let length = 0; length < bytes.length; length++) {
        expect([length, await fault(type, bytes.subarray(0, length))]).not.toEqual([length, 'none'])
      }
    })
  }

  /**
   * Checks that an image was rejected, or that the result is small and contains no metadata. Reading the result again
   * must return the same bytes.
   */
  async function expectHarmless(type: string, bytes: Uint8Array): Promise<void> {
    const found = await readImage(type, bytes)
    if (!isImage(found)) {
      expect(found.fault).toMatch(/^[a-z].*[^.]$/)
      return
    }
    expect(Math.max(found.widthPx, found.heightPx)).toBeLessThanOrEqual(sidePxMax)
    expect(found.bytes.length).toBeLessThanOrEqual(bytes.length)
    const again = await cleaned(type, found.bytes)
    expect(Buffer.from(again.bytes).equals(Buffer.from(found.bytes))).toBe(true)
    for (const marker of ['JFIF', 'Exif', 'ICCP', 'XMP ', 'tEXt']) {
      expect(Buffer.from(found.bytes).includes(marker)).toBe(false)
    }
  }

  it('a damaged image is rejected or cleaned, and the reader never throws', async () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      byte: fc.nat(255),
      kind: fc.constantFrom('set', 'insert', 'delete', 'cut'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        async ([type, bytes], edits) => {
          const changed = [...bytes]
          for (const { at, byte, kind } of edits) {
            const index = Math.floor(at * changed.length)
            if (kind === 'set') changed[index] = byte
            else if (kind === 'insert') changed.splice(index, 0, byte)
            else if (kind === 'delete') changed.splice(index, 1)
            else if (byte < 32) changed.length = index
          }
          await expectHarmless(type, Uint8Array.from(changed))
        },
      ),
      sampledRuns(5000),
    )
  })

  it('an image is rejected or made harmless if random bytes follow a valid beginning', async () => {
    const starts = files.map(([type, bytes]) => [type, bytes.subarray(0, 30)] as const)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...starts),
        fc.nat(30),
        fc.uint8Array({ maxLength: 300 }),
        async ([type, start], kept, rest) => {
          await expectHarmless(type, Buffer.concat([start.subarray(0, kept), rest]))
        },
      ),
      sampledRuns(5000),
    )
  })

  it('a PNG is rejected after a change of any bit', async () => {
    for (let bit = 0; bit < small.length * 8; bit++) {
      const changed = Buffer.from(small)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect([bit, await fault('image/png', changed)]).not.toEqual([bit, 'none'])
    }
  })
})
