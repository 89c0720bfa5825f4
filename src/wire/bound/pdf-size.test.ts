import { deflateSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#wire/text/computation-with-pauses.ts'
import { isPdf, pdfSize, type InflateBudget } from './pdf-size.ts'

interface Written {
  readonly pages: number
  readonly width: number
  readonly isPacked: boolean
  readonly content: string
  readonly font: number
}

/** Writes a PDF like current programs: a tree of pages, deflated contents, and object streams. */
function written({ content, font, isPacked, pages, width }: Written): Buffer {
  const bodies: string[] = []
  const add = (body: string): number => bodies.push(body)
  const catalog = add('')
  const leaves = Array.from({ length: pages }, () =>
    add('<</Type/Page/MediaBox[0 0 612 792]/Contents 9000 0 R>>'),
  )
  let level = leaves.map((object) => ({ object, count: 1 }))
  do {
    const next: { object: number; count: number }[] = []
    for (let at = 0; at < level.length; at += width) {
      const kids = level.slice(at, at + width)
      const count = kids.reduce((sum, kid) => sum + kid.count, 0)
      const list = kids.map(({ object }) => `${object} 0 R`).join(' ')
      next.push({ object: add(`<< /Type /Pages /Count ${count} /Kids [${list}] >>`), count })
    }
    level = next
  } while (level.length > 1)
  bodies[catalog - 1] = `<< /Type /Catalog /Pages ${level[0]?.object} 0 R >>`
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\n', 'latin1')]
  const stream = (object: number, dictionary: string, data: Buffer): void => {
    parts.push(Buffer.from(`${object} 0 obj\n<<${dictionary}/Length ${data.length}>>\nstream\n`), data)
    parts.push(Buffer.from('\nendstream\nendobj\n'))
  }
  if (isPacked) {
    const text = bodies.join('\n')
    let offset = 0
    const header = bodies.map((body, i) => {
      const pair = `${i + 1} ${offset}`
      offset += body.length + 1
      return pair
    })
    const first = `${header.join(' ')}\n`
    const data = deflateSync(first + text)
    stream(9_999, `/Type/ObjStm/N ${bodies.length}/First ${first.length}/Filter/FlateDecode`, data)
  } else bodies.forEach((body, i) => parts.push(Buffer.from(`${i + 1} 0 obj\n${body}\nendobj\n`)))
  stream(9_000, '/Filter/FlateDecode', deflateSync(content))
  stream(9_001, `/Filter/FlateDecode/Length1 ${font}`, Buffer.alloc(font, 'f\u00ff', 'latin1'))
  parts.push(Buffer.from('trailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n'))
  return Buffer.concat(parts)
}

const sizeWithin = (data: Buffer, budget: InflateBudget) =>
  resultOf(pdfSize(data, data.toString('latin1'), budget))
const sizeOf = (data: Buffer, bytesLeft = 1 << 20) => sizeWithin(data, { bytesLeft })
const usual: Written = { pages: 3, width: 8, isPacked: false, content: 'BT (Hello) Tj ET', font: 900 }
const usualText = written(usual).toString('latin1')
const changed = (from: string | RegExp, to: string): Buffer => {
  const text = usualText.replace(from, to)
  expect(text).not.toBe(usualText)
  return Buffer.from(text, 'latin1')
}

describe('the size of a PDF', () => {
  it('the size of a PDF consists of its number of pages and the bytes of their contents, compressed or not', () => {
    fc.assert(
      fc.property(
        fc.record({
          pages: fc.integer({ min: 1, max: 300 }),
          width: fc.integer({ min: 2, max: 40 }),
          isPacked: fc.boolean(),
          content: fc.string({ maxLength: 500 }),
          font: fc.nat(2000),
        }),
        (file) => {
          const data = written(file)
          expect(isPdf(data)).toBe(true)
          const size = sizeOf(data)
          expect(size?.pages).toBe(file.pages)
          const content = deflateSync(file.content).length
          expect(size?.contentBytes).toBeGreaterThanOrEqual(content)
          expect(size?.contentBytes).toBeLessThan(content + 10)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('the pages of a large PDF are counted in several steps', () => {
    fc.assert(
      fc.property(
        fc.record({
          pages: fc.integer({ min: 1, max: 20_000 }),
          // A narrower tree with 2,000 pages has more than 10,000 nodes, so its size is unknown.
          width: fc.integer({ min: 4, max: 2_000 }),
          isPacked: fc.boolean(),
          content: fc.constant('BT (Hello) Tj ET'),
          font: fc.integer({ min: 4 << 20, max: 8 << 20 }),
        }),
        (file) => {
          const data = written({ ...file, pages: file.isPacked ? Math.min(file.pages, 3_000) : file.pages })
          const steps = pdfSize(data, data.toString('latin1'), { bytesLeft: 8 << 20 })
          let pauses = 0
          let step = steps.next()
          for (; step.done !== true; step = steps.next()) pauses++
          expect(step.value?.pages).toBe(file.isPacked ? Math.min(file.pages, 3_000) : file.pages)
          expect(step.value?.contentBytes).toBeLessThan(100)
          expect(pauses).toBeGreaterThan(0)
        },
      ),
      { numRuns: 10 },
    )
  })

  it('if bytes are added to a PDF and the PDF is still readable, its size does not decrease', () => {
    const pieces = fc.constantFrom(
      '/Type /Page ',
      '/Kids [3 0 R] ',
      '/Count 12 ',
      'stream\n',
      ' endstream ',
      '7 0 obj <<',
      '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode ',
      '% ',
      '(',
      '/#50age ',
    )
    const places = fc.array(fc.tuple(fc.nat(), fc.oneof(pieces, fc.string())), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(places, (added) => {
        let text = usualText
        // Insert the bytes before an object, so that the bytes do not split a token that a reader needs.
        for (const [at, piece] of added) {
          const objects = [...text.matchAll(/\d+ 0 obj/g)]
          const place = objects[at % objects.length]?.index ?? 0
          text = `${text.slice(0, place)}${piece}\n${text.slice(place)}`
        }
        const size = sizeOf(Buffer.from(text, 'latin1'))
        if (size !== null) expect(size.pages).toBeGreaterThanOrEqual(3)
      }),
      { numRuns: 500 },
    )
  })

  it('if a PDF states several numbers of pages, the largest number counts', () => {
    expect(sizeOf(changed('/Count 3', '/Count 77'))?.pages).toBe(77)
    expect(sizeOf(changed('/Count 3', '/Count 1'))?.pages).toBe(3)
    expect(sizeOf(changed('/Kids [', '/Kids [2 0 R 2 0 R 2 0 R '))?.pages).toBe(6)
    expect(sizeOf(changed('trailer', '8 0 obj <</Type /Page>> endobj trailer'))?.pages).toBe(4)
    expect(sizeOf(changed('trailer', '% /Type /Page (/Type /Page)\n trailer'))?.pages).toBe(5)
  })

  it.each([
    ['encrypted', 'trailer <<', 'trailer << /Encrypt 5 0 R'],
    ['with an escaped name', '/Kids [', '/K#69ds ['],
    ['with indirect kids', /\/Kids \[.*\]/, '/Kids 12 0 R'],
    ['with an indirect count', '/Count 3', '/Count 12 0 R'],
    ['with a comment in its kids', '/Kids [', '/Kids [ % \n'],
    ['with an indirect type', '/Type/Page/', '/Type 12 0 R/'],
    ['without pages', /\/(?:Page|Pages|Kids|Count)\b/g, '/Other'],
    ['with a repeated branch', 'trailer', '8 0 obj << /Kids [5 0 R 5 0 R] >> endobj trailer'],
    [
      'with an object stream of another filter',
      'trailer',
      '8 0 obj <</Type/ObjStm/N 1/First 4/Filter/LZWDecode>>stream\nendstream trailer',
    ],
    [
      'with an object stream behind a predictor',
      'trailer',
      '8 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode/DecodeParms<<>> >>stream\nendstream trailer',
    ],
    [
      'with an object stream that is not deflated',
      'trailer',
      '8 0 obj <</N 1/First 4/Filter/FlateDecode>>stream\nxendstream trailer',
    ],
    [
      'with an object stream that is not found',
      'trailer',
      `8 0 obj <</Type/ObjStm${' '.repeat(5000)}>>stream\nendstream trailer`,
    ],
  ])('the size of a PDF %s is unknown', (_, from, to) => {
    expect(sizeOf(changed(from, to))).toBeNull()
  })

  it('the size of a PDF is unknown if its objects decompress to too much data', () => {
    const packed = written({ ...usual, pages: 200, isPacked: true })
    expect(sizeOf(packed, 4000)).toBeNull()
    const budget = { bytesLeft: 50_000 }
    expect(sizeWithin(packed, budget)?.pages).toBe(200)
    expect(budget.bytesLeft).toBeLessThan(40_000)
  })

  it('reading the size of a PDF takes linear time, even if the PDF repeats one mark', () => {
    const marks = [
      'stream\n',
      '/Kids [1 0 R ',
      '#',
      '/#',
      '/Count ',
      '/Type ',
      '/First 1 /N 1 stream\n',
      'endstream',
      ' obj',
    ]
    for (const mark of marks) {
      const started = performance.now()
      sizeOf(Buffer.from(`%PDF-1.4 ${mark.repeat(2_000_000 / mark.length)}`))
      expect(performance.now() - started, mark).toBeLessThan(4000)
    }
  })
})
