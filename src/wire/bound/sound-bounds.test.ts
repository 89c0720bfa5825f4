import { expect, it } from 'vitest'
import { SoundBounds } from './sound-bounds.ts'

/** The head of a WAV file with 16,000 two-byte samples per second. */
const wavHead = Buffer.from(
  '524946460000000057415645666d7420100000000100010080 3e0000007d000002001000 64617461 00000000'.replaceAll(
    ' ',
    '',
  ),
  'hex',
)

function wav(seconds: number): Buffer {
  return Buffer.concat([wavHead, Buffer.alloc(seconds * 32_000 - wavHead.length)])
}

function boundsOf(
  file: Buffer,
  type: string | null,
  encoding: 'base64' | 'base64url' = 'base64',
): SoundBounds {
  const bounds = new SoundBounds()
  bounds.add(() => file.toString(encoding), file.length, type)
  return bounds
}

it.each(['wav', 'audio/wav', 'audio/x-wav', 'audio/vnd.wave', 'audio/wave; codecs=1', null])(
  'a sound of the stated type %s counts 32 tokens per second',
  (type) => {
    const bounds = boundsOf(wav(10), type)
    expect(bounds.total()).toBe(10 * 32 + 16)
    expect(bounds.estimate()).toBe(10 * 32)
  },
)

it.each(['mp3', 'audio/mpeg', 'audio/l16', ''])(
  'if a sound is not of the stated type %s, its bound is based on its bytes',
  (type) => {
    const file = wav(10)
    expect(boundsOf(file, type).total()).toBe(file.length + 16)
    expect(boundsOf(file, type).estimate()).toBe(file.length / 16)
  },
)

it('a sound is read from a data URL, from base64url, and with escaped slashes', () => {
  const bounds = new SoundBounds()
  const base64 = wav(1).fill(0xff, 100).toString('base64')
  bounds.add(() => `data:audio/wav;base64,${base64}`, 32_000, null)
  bounds.add(() => base64.replaceAll('/', String.raw`\/`), 32_000, 'wav')
  expect(bounds.total()).toBe(2 * (32 + 16))
  expect(boundsOf(wav(1).fill(0xff, 100), null, 'base64url').total()).toBe(32 + 16)
})

it("if another decoder may read more of a sound's data, the bound of the sound is based on its bytes", () => {
  const bounds = new SoundBounds()
  const base64 = wav(1).toString('base64')
  bounds.add(() => `${base64.slice(0, 100)}*${base64.slice(100)}`, 32_000, 'wav')
  expect(bounds.total()).toBe(32_000 + 16)
})

it('the head of a large WAV file is read, and other large files are counted by their bytes', () => {
  expect(boundsOf(wav(200), 'wav').total()).toBe(200 * 32 + 16)
  const mp3 = Buffer.alloc(5_000_000, Buffer.from([0xff, 0xfb, 0x90, 0x64]))
  expect(boundsOf(mp3, 'mp3').total()).toBe(2_000_000)
})

it('the bounds of all sounds are added up, to at most the largest context window', () => {
  const bounds = new SoundBounds()
  for (let i = 0; i < 3; i++) bounds.add(() => wav(2).toString('base64'), 64_000, 'wav')
  expect(bounds.total()).toBe(3 * (64 + 16))
  bounds.add(() => 'AAAA', 3_000_000, null)
  expect(bounds.total()).toBe(2_000_000)
  expect(bounds.estimate()).toBe(3 * 64 + 187_500)
})
