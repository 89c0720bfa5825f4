import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import type { ByteText } from './byte-text.ts'
import { boundaryOf, formParts, formText, formType } from './form-parts.ts'

async function written(form: FormData): Promise<{ text: ByteText; boundary: string }> {
  const response = new Response(form)
  const boundary = boundaryOf(response.headers.get('content-type') ?? '')
  if (boundary === null) throw new Error('no boundary')
  return { text: Buffer.from(await response.arrayBuffer()).toString('latin1'), boundary }
}

const part = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

describe('formParts', () => {
  const seed = seedOfRun()
  it(`formParts reads the forms that Node writes, whatever bytes their files contain (seed ${seed})`, async () => {
    const random = randomFrom(seed)
    for (let run = 0; run < 60; run++) {
      const form = new FormData()
      const values: [string, string | null, string][] = []
      for (let at = random.whole(1, 8); at > 0; at--) {
        const bytes = Buffer.from(
          Array.from({ length: random.whole(0, 40) }, () => random.pick([13, 10, 45, 0, 255, 98])),
        )
        if (random.chance(0.5)) {
          form.append('image[]', new Blob([bytes]), `${at}.png`)
          values.push(['image[]', `${at}.png`, bytes.toString('latin1')])
        } else {
          form.append('prompt', `é ${at}`)
          values.push(['prompt', null, Buffer.from(`é ${at}`).toString('latin1')])
        }
      }
      // oxlint-disable-next-line no-await-in-loop -- one form after the other
      const { boundary, text } = await written(form)
      const parts = formParts(text, boundary) ?? []
      expect(parts.map(({ end, filename, name, start }) => [name, filename, text.slice(start, end)])).toEqual(
        values,
      )
      expect(boundaryOf(formType(boundary))).toBe(boundary)
      // After one part is removed, the form has all other parts.
      const left = random.whole(0, parts.length - 1)
      const { from = 0, to = 0 } = parts[left] ?? {}
      const others = formParts(text.slice(0, from) + text.slice(to), boundary)
      expect(others?.map(({ name }) => name)).toEqual(values.toSpliced(left, 1).map(([name]) => name))
    }
  })

  it('a form with an empty value, and a form without parts, are read', () => {
    expect(formParts(`${part('a', '')}--b--`, 'b')).toMatchObject([{ name: 'a', filename: null }])
    expect(formParts('--b--\r\n', 'b')).toEqual([])
  })

  it.each([
    ['', 'nothing'],
    ['--b', 'no end'],
    [part('a', '1'), 'a missing last delimiter'],
    [`x${part('a', '1')}--b--`, 'text before the parts'],
    [`${part('a', '1')}--b--\r\nx`, 'text after the parts'],
    [`${part('a', '1')}--bc--`, 'a longer delimiter'],
    [`--b\nContent-Disposition: form-data; name="a"\n\n1\n--b--`, 'single line feeds'],
    [`--b\r\nContent-Disposition: form-data; name="a"\r\n1\r\n--b--`, 'a head without end'],
    [`--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--`, 'no name'],
    [`--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--`, 'a name without quotes'],
    [`--b\r\nContent-Disposition: form-data; name="a"; name="b"\r\n\r\n1\r\n--b--`, 'two names'],
    [
      `--b\r\nContent-Disposition: form-data; name="a";\r\n filename="x"\r\n\r\n1\r\n--b--`,
      'a folded header',
    ],
    [`--b\r\nContent-Disposition: form-data; name="a\\"b"\r\n\r\n1\r\n--b--`, 'an escape in a name'],
    [
      `--b\r\nContent-Disposition: form-data; name="a"; filename*=UTF-8''x\r\n\r\n1\r\n--b--`,
      'an encoded file name',
    ],
    [
      `--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"\r\n\r\n1\r\n--b--`,
      'a repeated header',
    ],
    [
      `--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\n1\r\n--b--`,
      'an encoding',
    ],
    [`--b\r\n${'X-A: 1\r\n'.repeat(400)}\r\n1\r\n--b--`, 'a long head'],
    [`${part('a', '1').repeat(65)}--b--`, 'too many parts'],
  ])('%j is rejected as a form: %s', (text) => expect(formParts(text, 'b')).toBeNull())

  it(`parsing a mutated form never throws, and the returned positions are in order (seed ${seed})`, () => {
    const random = randomFrom(seed)
    const whole = `${part('a', '1')}${part('image', '\0\r\n--')}${part('n', '2')}--b--`
    for (let run = 0; run < 5_000; run++) {
      const at = random.whole(0, whole.length)
      const piece = random.pick(['', '\r', '\n', '--b', '--', '"', ';', '\0', whole.slice(0, at)])
      const text = whole.slice(0, at) + piece + whole.slice(at + random.whole(0, 8))
      let last = 0
      for (const { end, from, start, to } of formParts(text, 'b') ?? []) {
        expect([from, from < start, start <= end, end < to]).toEqual([last, true, true, true])
        last = to
      }
    }
  })

  it('formParts takes linear time, even for the slowest texts', () => {
    const heads = `--b\r\n${'x'.repeat(100)}`.repeat(100_000)
    expect(formParts(heads, 'b')).toBeNull()
    const almost = `${part('a', '\r\n--'.repeat(500_000))}--b--`
    expect(formParts(almost, 'b')).toHaveLength(1)
  })
})

describe('boundaryOf', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data;boundary="a b"', null],
    ['multipart/form-data; boundary="a:b"', 'a:b'],
    ['multipart/form-data; boundary=a; charset=utf-8', null],
    ['multipart/form-data; boundary=', null],
    ['multipart/form-data', null],
    ['multipart/mixed; boundary=abc', null],
    ['application/json', null],
    [`multipart/form-data; boundary=${'a'.repeat(71)}`, null],
    ['multipart/form-data; boundary=a\r\nx: y', null],
  ])('the boundary in %j is read as %j', (type, boundary) => expect(boundaryOf(type)).toBe(boundary))
})

it('a written form is read back with the same parts', () => {
  const parts = [
    { name: 'model', value: 'a' },
    { name: 'file', filename: 'a.wav', value: '\r\n--x\0' },
  ]
  const text = formText('b', parts)
  const read = formParts(text, 'b')?.map(({ end, filename, name, start }) => ({
    name,
    ...(filename !== null && { filename }),
    value: text.slice(start, end),
  }))
  expect(read).toEqual(parts)
})
