import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { soundFormat, soundSeconds, type SoundFormat } from './sound-length.ts'

function noise(length: number, seed: number): Buffer {
  let state = seed >>> 0 || 1
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return state & 0xff
    }),
  )
}

interface Sound {
  readonly file: Buffer
  readonly seconds: number
}

function wav(seconds: number, rate = 16_000, channels = 1, bits = 16): Sound {
  const blockBytes = (channels * bits) / 8
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt16LE(blockBytes, 32)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36)
  const samples = Math.round(seconds * rate)
  return { file: Buffer.concat([head, noise(samples * blockBytes, 7)]), seconds: samples / rate }
}

/** Frames of MPEG 1, layer III, 128 kbit/s, 44,100 Hz. */
function mp3(frames: number, seed: number, tag: Uint8Array = new Uint8Array()): Sound {
  const body = Array.from({ length: frames }, (_, i) =>
    Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), noise(413, seed + i)]),
  )
  return { file: Buffer.concat([tag, ...body]), seconds: (frames * 1_152) / 44_100 }
}

function id3(bytes: number): Buffer {
  const head = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, bytes >> 7, bytes & 0x7f])
  return Buffer.concat([head, Buffer.alloc(bytes, 0x20)])
}

function aac(frames: number, seed: number): Sound {
  const body = Array.from({ length: frames }, (_, i) =>
    Buffer.concat([Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x20, 0x1f, 0xfc]), noise(200, seed + i)]),
  )
  return { file: Buffer.concat(body), seconds: (frames * 1_024) / 44_100 }
}

function crc8(data: Buffer): number {
  let check = 0
  for (const byte of data)
    for (let bit = 7; bit >= 0; bit--) {
      const high = (check >> 7) ^ ((byte >> bit) & 1)
      check = ((check << 1) & 0xff) ^ (high ? 0x07 : 0)
    }
  return check
}

/** The frame number in a FLAC frame head has one or two bytes. */
function flac(frames: number, seed: number, rate = 44_100): Sound {
  const info = Buffer.alloc(42)
  info.write('fLaC')
  info[4] = 0x80
  info[7] = 34
  info.writeUIntBE(rate << 4, 18, 3)
  const body = Array.from({ length: frames }, (_, i) => {
    const number = i < 128 ? [i] : [0xc0 | (i >> 6), 0x80 | (i & 0x3f)]
    const head = Buffer.from([0xff, 0xf8, 0xc0, 0x18, ...number])
    return Buffer.concat([head, Buffer.from([crc8(head)]), noise(90, seed + i)])
  })
  return { file: Buffer.concat([info, ...body]), seconds: (frames * 4_096) / rate }
}

function page(...packets: readonly Buffer[]): Buffer {
  const segments = packets.flatMap(({ length }) => [
    ...Array.from<number>({ length: Math.floor(length / 255) }).fill(255),
    length % 255,
  ])
  const head = Buffer.alloc(27)
  head.write('OggS')
  head[26] = segments.length
  return Buffer.concat([head, Buffer.from(segments), ...packets])
}

/** Pages of ten Opus packets of 20 ms. */
function opus(pages: number, seed: number): Sound {
  const packet = (i: number): Buffer => Buffer.concat([Buffer.from([0x78]), noise(60 + (i % 300), seed + i)])
  const body = Array.from({ length: pages }, (_, i) =>
    page(...Array.from({ length: 10 }, (__, j) => packet(i * 10 + j))),
  )
  return {
    file: Buffer.concat([page(Buffer.from('OpusHead\x01\x01')), page(Buffer.from('OpusTags')), ...body]),
    seconds: pages * 0.2,
  }
}

/** Each packet adds at most half of its block to the length. */
function vorbis(packets: number, seed: number): Sound {
  const head = Buffer.alloc(30)
  head.write('\x01vorbis', 'latin1')
  head.writeUInt32LE(48_000, 12)
  head[28] = 0xb8
  const body = Array.from({ length: packets }, (_, i) => page(noise(80, seed + i)))
  return { file: Buffer.concat([page(head), ...body]), seconds: (packets * 1_024) / 48_000 }
}

const formats: readonly (readonly [SoundFormat, string, (size: number, seed: number) => Sound])[] = [
  ['wav', 'WAV', (size) => wav(size / 10)],
  ['mp3', 'MP3', mp3],
  ['mp3', 'MP3 with a tag', (size, seed) => mp3(size, seed, id3(300))],
  ['aac', 'AAC', aac],
  ['flac', 'FLAC', flac],
  ['flac', 'FLAC of 8 kHz', (size, seed) => flac(size, seed, 8_000)],
  ['ogg', 'Opus', opus],
  ['ogg', 'Vorbis', vorbis],
]

describe.each(formats)('the length of a %s sound (%s)', (format, _, soundOf) => {
  it('the length of a sound is at least the sum of its frames, and on average at most 1.5 times that sum', () => {
    let bounds = 0
    let sums = 0
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 200 }), fc.nat(), (size, seed) => {
        const { file, seconds } = soundOf(size, seed)
        expect(soundFormat(file)).toBe(format)
        const bound = soundSeconds(file, format, file.length)
        expect(bound).toBeGreaterThanOrEqual(seconds * 0.999)
        // Compare only the sums, because data that looks like a frame can double the bound of a short sound.
        bounds += bound ?? 0
        sums += seconds
      }),
      { numRuns: 20 },
    )
    expect(bounds).toBeLessThanOrEqual(sums * 1.5)
  })

  it('if bytes of a sound are changed, its length decreases by at most the length of the changed frames', () => {
    const { file, seconds } = soundOf(60, 3)
    const change = fc.tuple(fc.integer({ min: 64, max: file.length - 1 }), fc.nat(255))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        const changed = Buffer.from(file)
        for (const [at, byte] of changes) changed[at] = byte
        const bound = soundSeconds(changed, format, changed.length)
        if (bound !== null) expect(bound).toBeGreaterThanOrEqual(seconds * 0.5)
      }),
    )
  })

  it('the length of a truncated sound is correct or unknown, and never wrong', () => {
    const { file } = soundOf(20, 5)
    for (let end = 0; end < Math.min(200, file.length); end++) {
      const cut = file.subarray(0, end)
      const found = soundFormat(cut)
      if (found !== null) expect(soundSeconds(cut, found, end) ?? 0).toBeGreaterThanOrEqual(0)
    }
  })
})

describe('recognizing the format of a sound', () => {
  it.each([
    ['other data', noise(500, 9)],
    ['an empty file', Buffer.alloc(0)],
    ['bytes of ones', Buffer.alloc(500, 0xff)],
  ])('a sound that is %s has an unknown format', (_, file) => {
    expect(soundFormat(file)).toBeNull()
  })

  it('a FLAC file after an ID3 tag is recognized, because decoders skip the tag', () => {
    const { file } = flac(20, 1)
    expect(soundFormat(Buffer.concat([id3(40), file]))).toBe('flac')
  })
})

describe('the length of a sound is unknown', () => {
  const { file } = wav(1)
  const changed = (change: (copy: Buffer) => void): Buffer => {
    const copy = Buffer.from(file)
    change(copy)
    return copy
  }
  it.each([
    ['for WAV with compressed data', changed((copy) => copy.writeUInt16LE(0x55, 20))],
    ['for WAV whose blocks contradict its samples', changed((copy) => copy.writeUInt16LE(4_000, 32))],
    ['for WAV without a rate', changed((copy) => copy.writeUInt32LE(0, 24))],
    ['for Ogg with an unknown codec', Buffer.concat([page(Buffer.from('Speex   1.2')), page(noise(80, 1))])],
    ['for Ogg with two codecs', Buffer.concat([opus(2, 1).file, vorbis(2, 1).file])],
    ['for Ogg whose pages overlap', Buffer.from(`OggSOpusHead${'OggS'.repeat(1_000)}`)],
  ])('%s', (_, data) => {
    const format = soundFormat(data)
    expect(format).not.toBeNull()
    if (format !== null) expect(soundSeconds(data, format, data.length)).toBeNull()
  })
})
