import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#wire/text/computation-with-pauses.ts'
import { fileSize, type FileSize } from './file-token-size.ts'

const sizeOf = (file: Buffer | string): FileSize => resultOf(fileSize(Buffer.from(file).toString('latin1')))

const pdf =
  '%PDF-1.7\n1 0 obj <</Type /Pages /Count 2 /Kids [3 0 R 4 0 R]>> endobj\n' +
  `3 0 obj <</Type /Page>> endobj\n4 0 obj <</Type /Page>> endobj\n% ${'x'.repeat(20_000)}`

function pngOf(width: number, height: number): Buffer {
  const png = Buffer.alloc(60)
  png.write('\x89PNG\r\n\x1a\n', 'latin1')
  png.writeUInt32BE(13, 8)
  png.write('IHDR', 12, 'latin1')
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt8(8, 24)
  png.writeUInt8(2, 25)
  return png
}

describe('the token size of a file', () => {
  it('a PDF is counted by its pages; with citations, the text of the pages counts twice', () => {
    const tokens = 2 * (4_800 + 3_000)
    expect(sizeOf(pdf)).toEqual({ tokens, citedTokens: tokens + 2 * 3_000 + 1_024, pixels: null })
  })

  it('an image is counted by its pixels', () => {
    expect(sizeOf(pngOf(640, 480)).pixels).toEqual({ width: 640, height: 480 })
  })

  it.each(['%PDF-1.7', 'startxref'])(
    'a text that contains %s is counted like a PDF of the same size, because a vendor may read the text as a PDF',
    (mark) => {
      const text = `${'x'.repeat(2_000 - mark.length)}${mark}`
      expect(sizeOf(text).tokens).toBe(10 * (4_800 + 3_000))
    },
  )

  it('a text is counted by its bytes, and also by its sentences if citations are enabled', () => {
    const text = 'Grüße. Wie geht es?\n'
    const bytes = Buffer.byteLength(text)
    expect(sizeOf(text)).toEqual({
      tokens: bytes,
      citedTokens: 2 * bytes + 1_024 + 3 * 16,
      pixels: null,
    })
  })

  it('a file that is valid as two kinds of document counts as the kind with more tokens', () => {
    const both = sizeOf(Buffer.concat([pngOf(64, 64), Buffer.from(pdf)]))
    expect(both.pixels).toBeNull()
    expect(both.tokens).toBe(2 * 7_800)
  })

  it('any other file is counted by its bytes, up to the largest context', () => {
    expect(sizeOf(Buffer.alloc(1_000)).tokens).toBe(5 * 7_800)
    expect(sizeOf(Buffer.alloc(90_000))).toMatchObject({
      tokens: 2_000_000,
      citedTokens: 2_000_000,
    })
    expect(sizeOf('x'.repeat(8 * 1024 * 1024)).tokens).toBe(2_000_000)
  })

  it('even a large PDF is counted by its pages', () => {
    expect(sizeOf(pdf + '<x>'.repeat(7 * 1024 * 1024)).tokens).toBe(2 * 7_800)
  })

  it('a large PDF that cannot be read in steps is counted by its bytes', () => {
    expect(sizeOf(pdf + 'x'.repeat(8 * 1024 * 1024)).tokens).toBe(2_000_000)
  })

  it('every file has a token size, and citations never make the size smaller', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 2_000 }),
        fc.constantFrom('', '%PDF-', 'PK\u0003\u0004'),
        (bytes, head) => {
          const { citedTokens, tokens } = sizeOf(Buffer.concat([Buffer.from(head), bytes]))
          expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
          expect(citedTokens).toBeGreaterThanOrEqual(tokens)
        },
      ),
    )
  })
})
