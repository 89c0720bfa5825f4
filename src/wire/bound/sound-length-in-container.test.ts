import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { soundFormat, soundSeconds } from './sound-length.ts'

function secondsOf(file: Buffer): number | null {
  const format = soundFormat(file)
  return format === null ? null : soundSeconds(file, format, file.length)
}

const seed = seedOfRun()
const random = randomFrom(seed)
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random.whole(0, 255)))

function box(name: string, ...content: Buffer[]): Buffer {
  const all = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(all.length + 8)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, all])
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

function esds(config = [0x12, 0x10], type = 0x40, flags = 0): Buffer {
  const decoder = [
    4,
    15 + config.length,
    type,
    0x15,
    ...Array.from({ length: 11 }, () => 0),
    5,
    config.length,
    ...config,
  ]
  return box('esds', Buffer.from([0, 0, 0, 0, 3, 3 + decoder.length, 0, 1, flags, ...decoder]))
}

interface Movie {
  readonly samples?: number
  readonly config?: Buffer
  readonly stated?: readonly [scale: number, units: number]
  readonly more?: Buffer
}

function mp4({ config = esds(), more = Buffer.alloc(0), samples = 0, stated = [1_000, 0] }: Movie): Buffer {
  const [scale, units] = stated
  return Buffer.concat([
    box('ftyp', Buffer.from('M4A \0\0\0\0')),
    box(
      'moov',
      box('mvhd', words(0, 0, 0, scale, units), Buffer.alloc(80)),
      box('stsd', box('mp4a', Buffer.alloc(28), config)),
      box('stsz', words(0, 0, samples)),
    ),
    more,
    box('mdat', noise(400)),
  ])
}

describe(`the length of AAC in MP4 (seed ${seed})`, () => {
  const frame = 1_024 / 44_100

  it('the length is the sum of the samples or the length in the header, whichever is longer', () => {
    expect(secondsOf(mp4({ samples: 500 }))).toBeCloseTo(500 * frame)
    expect(secondsOf(mp4({ samples: 500, stated: [1_000, 90_000] }))).toBe(90)
    expect(secondsOf(mp4({ samples: 500, stated: [1_000, 0xffff_ffff] }))).toBeCloseTo(500 * frame)
  })

  it('the samples of all tables and fragments are counted', () => {
    const more = Buffer.concat([
      box('moof', box('trun', words(0, 40), noise(20))),
      box('stz2', words(0, 8, 7)),
    ])
    expect(secondsOf(mp4({ samples: 500, more }))).toBeCloseTo(547 * frame)
  })

  it.each([
    ['a rate of 22,050', esds([0x13, 0x90]), 1_024 / 22_050],
    ['the first extension', esds([0x2b, 0x92, 0x08, 0]), 1_024 / 22_050],
    [
      'long sizes',
      box(
        'esds',
        Buffer.from('00000000038080802200010004808080144015000000000000000000000005808080021210', 'hex'),
      ),
      frame,
    ],
  ])('the sound of a file with %s is measured', (_, config, each) => {
    expect(secondsOf(mp4({ samples: 100, config }))).toBeCloseTo(100 * each)
  })

  it('if there are several configurations, the lowest sampling rate is used', () => {
    expect(secondsOf(mp4({ samples: 100, more: esds([0x15, 0x88]) }))).toBeCloseTo((100 * 1_024) / 8_000)
  })

  it.each([
    ['another object type', { config: esds([0x12, 0x10], 0x6b) }],
    ['more fields', { config: esds([0x12, 0x10], 0x40, 0x80) }],
    ['a rate of its own', { config: esds([0x17, 0x80]) }],
    ['another kind of AAC', { config: esds([0xf9, 0x40]) }],
    ['no configuration', { config: Buffer.alloc(4) }],
    ['a second codec', { more: box('alac', Buffer.alloc(20)) }],
    ['a compressed head', { more: box('cmov') }],
  ])('the length of a sound with %s is unknown', (_, movie) => {
    expect(secondsOf(mp4({ samples: 100, ...movie }))).toBeNull()
  })
})

function element(id: string, ...content: (Buffer | string)[]): Buffer {
  const all = Buffer.concat(
    content.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  )
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(all.length) | (1n << 56n))
  return Buffer.concat([Buffer.from(id, 'hex'), size, all])
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const trackNumber = (value: number): Buffer => Buffer.from([0xd7, 0x81, value])
const tracksOf = (codec = 'A_OPUS', ...more: Buffer[]): Buffer =>
  element('1654ae6b', element('ae', trackNumber(1), element('86', codec), ...more))

/** The default packet has 20 ms. */
function block(track = 1, flags = 0x80, packet = Buffer.concat([Buffer.from([0x78]), noise(40)])): Buffer {
  return element('a3', Buffer.from([0x80 | track, 0, 0, flags]), packet)
}

/** A block without random data, for exact lengths, because random data can look like another block. */
const plain = (track = 1): Buffer => block(track, 0x80, Buffer.alloc(41, 0x78))

function webm(parts: {
  readonly tracks?: Buffer
  readonly info?: Buffer
  readonly blocks?: readonly Buffer[]
  readonly time?: number
  readonly before?: Buffer
  readonly after?: Buffer
}): Buffer {
  const nothing = Buffer.alloc(0)
  const {
    after = nothing,
    before = nothing,
    blocks = [],
    info = nothing,
    time = 0,
    tracks = tracksOf(),
  } = parts
  const cluster = element('1f43b675', element('e7', number(time)), ...blocks)
  return Buffer.concat([
    element('1a45dfa3', Buffer.alloc(8)),
    element('18538067', before, info, tracks, cluster, after),
  ])
}

const repeated = (count: number, of: () => Buffer): Buffer[] => Array.from({ length: count }, of)

describe(`the length of Opus in WebM (seed ${seed})`, () => {
  it('the length is at least the sum of the packets, and on average at most 1.5 times the sum', () => {
    let seconds = 0
    let least = 0
    for (let run = 1; run <= 40; run++) {
      const file = webm({ blocks: repeated(run * 10, () => block()) })
      const own = secondsOf(file) ?? 0
      expect(own).toBeGreaterThanOrEqual(run * 0.2 - 0.001)
      // Exclude files in which random data looks like a block with many packets, because such a block can add 30
      // seconds.
      seconds += own
      least += run * 0.2
    }
    expect(seconds).toBeLessThan(least * 1.5)
  })

  it('the length is the length in the header or the time of the last cluster, whichever is later', () => {
    const duration = Buffer.alloc(11)
    duration.write('448988', 'hex')
    duration.writeDoubleBE(90_000, 3)
    expect(secondsOf(webm({ info: element('1549a966', duration), blocks: [plain()] }))).toBe(90)
    expect(secondsOf(webm({ blocks: [plain()], time: 70_000 }))).toBe(70)
    const scale = element('2ad7b1', number(10_000_000))
    expect(secondsOf(webm({ info: element('1549a966', scale), blocks: [plain()], time: 7_000 }))).toBe(70)
  })

  it.each([
    ['fixed sizes', 0x04, Buffer.concat([Buffer.from([3]), Buffer.alloc(40, 0x78)]), 0.48],
    ['sizes of Xiph', 0x02, Buffer.concat([Buffer.from([2, 5, 6]), Buffer.alloc(20, 0x78)]), 0.36],
    ['sizes of EBML', 0x06, Buffer.concat([Buffer.from([2, 0x85, 0xc0]), Buffer.alloc(20, 0x78)]), 0.36],
    ['sizes that a decoder rejects', 0x02, Buffer.from([2, 200, 200, 1, 1]), 0],
  ])('several packets in one block are counted (%s)', (_, flags, packets, seconds) => {
    expect(secondsOf(webm({ blocks: [block(1, flags, packets)] }))).toBeCloseTo(seconds)
  })

  it('the blocks of every track are counted, including blocks in groups', () => {
    const tracks = element(
      '1654ae6b',
      element('ae', trackNumber(1), element('86', 'A_OPUS')),
      element('ae', trackNumber(2), element('86', 'A_OPUS')),
    )
    const grouped = element('a0', element('a1', Buffer.from([0x82, 0, 0, 0]), Buffer.from([0x78, 1, 2])))
    expect(secondsOf(webm({ tracks, blocks: [plain(1), grouped, plain(3)] }))).toBeCloseTo(0.04)
  })

  it('a SeekHead with the position of the track list is accepted', () => {
    const seek = (position: number): Buffer =>
      element('114d9b74', element('4dbb', Buffer.from('53ab841654ae6b53ac84', 'hex'), number(position)))
    const before = seek(0)
    expect(secondsOf(webm({ before: seek(before.length), blocks: [plain()] }))).toBeCloseTo(0.02)
    expect(secondsOf(webm({ before: seek(before.length + 1), blocks: [block()] }))).toBeNull()
  })

  it.each([
    ['another codec', { tracks: tracksOf('A_VORBIS') }],
    ['two codecs', { tracks: Buffer.concat([tracksOf()]), before: tracksOf('A_FLAC') }],
    ['a second list of tracks at the end', { after: tracksOf('A_PCM/INT/LIT') }],
    ['compressed blocks', { tracks: tracksOf('A_OPUS', element('6d80', noise(4))) }],
    ['a long number of a track', { tracks: tracksOf('A_OPUS', Buffer.from([0xd7, 0x82, 0, 1])) }],
    ['no tracks', { tracks: Buffer.alloc(0) }],
  ])('the length of a sound with %s is unknown', (_, parts) => {
    expect(secondsOf(webm({ blocks: [block()], ...parts }))).toBeNull()
  })

  it('the length is unknown if the head of the file is incomplete', () => {
    expect(secondsOf(webm({ blocks: [block()] }).subarray(0, 40))).toBeNull()
  })
})

it(`a mutated container never causes an exception (seed ${seed})`, () => {
  const files = [
    mp4({ samples: 50, more: box('moof', box('trun', words(0, 40))) }),
    webm({ blocks: repeated(5, () => block(1, random.pick([0, 2, 4, 6]))) }),
  ]
  for (let run = 0; run < 4_000; run++) {
    const file = Buffer.from(random.pick(files))
    for (let change = 0; change < 4; change++) file[random.whole(0, file.length - 1)] = random.whole(0, 255)
    const cut = file.subarray(0, random.whole(0, file.length))
    for (const one of [file, cut]) {
      const seconds = secondsOf(one)
      expect(seconds === null || seconds >= 0).toBe(true)
    }
  }
})
