import { describe, expect, it } from 'vitest'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { isLong } from '#tests/support/reduced-suite.ts'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import {
  block,
  box,
  cluster,
  double,
  element,
  extension,
  fragment,
  fragmentIndex,
  liveCluster,
  mp4,
  none,
  track,
  tracks,
  webm,
  whole,
  words,
  type Run,
} from '#tests/fixtures/build-video-files.ts'
import { videoFormat, videoSeconds } from './video-length.ts'

const seed = seedOfRun()
const random = randomFrom(seed)

function secondsOf(file: Buffer): number | null {
  const format = videoFormat(file)
  return format === null ? null : videoSeconds(file, format)
}

describe(`the length of an MP4 video (seed ${seed})`, () => {
  it('the length is the latest time that the file states for the movie, its tracks, samples, delays or edits', () => {
    const second = [[30, 512]] as const
    expect(secondsOf(mp4({ tracks: [track({ runs: second })] }))).toBe(1)
    expect(secondsOf(mp4({ tracks: [track({ runs: [...second, [60, 512]] })] }))).toBe(3)
    expect(secondsOf(mp4({ tracks: [track({ runs: second }), track({ runs: [[90, 512]] })] }))).toBe(3)
    expect(secondsOf(mp4({ tracks: [track({ runs: second })], units: 4_000 }))).toBe(4)
    expect(secondsOf(mp4({ tracks: [track({ runs: second, units: 5 * 15_360 })] }))).toBe(5)
    const offsets = [
      [29, 512],
      [1, 15_360],
    ] as const
    expect(secondsOf(mp4({ tracks: [track({ runs: second, offsets })] }))).toBe(2)
    const edits = [
      [6_000, 1],
      [6_000, 1],
    ] as const
    expect(secondsOf(mp4({ tracks: [track({ runs: second, edits })] }))).toBe(12)
  })

  it('if the movie states no length, the length is the sum of the samples', () => {
    expect(secondsOf(mp4({ tracks: [track({ runs: [[30, 512]] })], units: -1 }))).toBe(1)
  })

  it.each([
    ['has fragments although it is whole', mp4({ more: fragment({ runs: [{ count: 1, ticks: [1] }] }) })],
    ['has a fragment of another track', mp4({ inMovie: extension([512]), more: fragment({ id: 2 }) })],
    ['has a fragment without ticks', mp4({ inMovie: extension([]), more: fragment({}) })],
    ['has two tracks with one ID', mp4({ inMovie: extension([512]), tracks: [track({}), track({})] })],
    [
      'has a run that is longer than its box',
      mp4({
        inMovie: extension([512]),
        more: Buffer.from(
          fragment({ runs: [{ count: 1, ticks: [9] }] })
            .toString('latin1')
            .replace('\x01\0\x01\x01\0\0\0\x01', '\x01\0\x01\x01\0\0\0\x02'),
          'latin1',
        ),
      }),
    ],
    ['has an index without ticks', mp4({ inMovie: extension([512]), more: fragmentIndex(0, 0, [1]) })],
    ['has two movies', mp4({ more: box('moov', none) })],
    ['has no track', mp4({ tracks: [] })],
    ['slows an edit down', mp4({ tracks: [track({ edits: [[1_000, 2]] })] })],
    ['has no ticks', mp4({ tracks: [track({ scale: 0 })] })],
    ['has two heads of a track', mp4({ tracks: [track({ more: box('mdhd', words(0, 0, 0, 1, 1, 0)) })] })],
    [
      'has a table that is longer than its box',
      mp4({
        tracks: [
          Buffer.from(
            track({}).toString('latin1').replace('stts\0\0\0\0\0\0\0\0', 'stts\0\0\0\0\0\0\0\x09'),
            'latin1',
          ),
        ],
      }),
    ],
    ['ends in a box', mp4({}).subarray(0, -3)],
    ['has other data at its end', Buffer.concat([mp4({}), Buffer.from('what else is here')])],
  ])('the length is not known if the file %s', (_, file) => {
    expect(secondsOf(file)).toBeNull()
  })
})

describe(`the length of an MP4 video in fragments (seed ${seed})`, () => {
  const inFragments = (...more: Buffer[]) =>
    mp4({
      inMovie: extension([512, 1_024]),
      tracks: [track({}), track({ id: 2, scale: 1_024 })],
      more: Buffer.concat(more),
    })

  it('the length is the sum of the samples, each with its own length or the default length', () => {
    expect(secondsOf(inFragments())).toBe(0)
    const half = fragment({ runs: [{ count: 15 }] })
    expect(secondsOf(inFragments(half, half, half))).toBe(1.5)
    expect(secondsOf(inFragments(half, fragment({ ticks: 1_024, runs: [{ count: 15 }] })))).toBe(1.5)
    const own = { count: 2, ticks: [15_360, 30_720], hasSizes: true }
    expect(secondsOf(inFragments(half, fragment({ runs: [own, { count: 30 }] })))).toBe(4.5)
    expect(secondsOf(inFragments(half, fragment({ id: 2, runs: [{ count: 7 }] })))).toBe(7)
  })

  it('the length includes stated times, delays, pauses, edits and the samples before the fragments', () => {
    const second = { runs: [{ count: 30 }] }
    expect(secondsOf(inFragments(fragment({ ...second, base: 15_360 })))).toBe(2)
    expect(
      secondsOf(inFragments(fragment({ ...second, base: 46_080, isLong: true }), fragment(second))),
    ).toBe(5)
    expect(secondsOf(inFragments(fragment(second), fragment({ ...second, base: 0 })))).toBe(2)
    const late = { count: 2, offsets: [0, 15_360] }
    expect(secondsOf(inFragments(fragment(second), fragment({ runs: [late] })))).toBe(2 + 2 / 30)
    expect(secondsOf(inFragments(fragment({ isPause: true, ticks: 30_720 }), fragment(second)))).toBe(3)
    const edits = [
      [2_000, 1],
      [0, 1],
    ] as const
    const movie = { inMovie: extension([512]), tracks: [track({ edits, runs: [[30, 512]] })] }
    expect(secondsOf(mp4({ ...movie, more: fragment(second) }))).toBe(4)
  })

  it('if the movie or an index states a length that is longer than the samples, the stated length applies', () => {
    const stated = box('mehd', words(0, 9_000))
    const more = fragment({ runs: [{ count: 30 }] })
    expect(secondsOf(mp4({ inMovie: extension([512], stated), more }))).toBe(9)
    const index = fragmentIndex(1_000, 500, [2_000, 3_000])
    expect(secondsOf(inFragments(more, index))).toBe(5.5)
  })

  it('no decoder can read a longer length from the fragments', () => {
    for (let run = 0; run < propertyRuns(500).numRuns; run++) {
      // Each sum is the length of a track's samples. `time` is the length by the start times of the fragments.
      const sums = [0, 0]
      let latest = 0
      const more: Buffer[] = []
      for (let i = random.whole(0, 12); i > 0; i--) {
        const index = random.whole(0, 1)
        const scale = index === 0 ? 15_360 : 1_024
        const base = random.pick([null, random.whole(0, 1_000_000)])
        const usual = random.pick([null, random.whole(0, 5_000)])
        const runs: Run[] = []
        let time = base ?? sums[index] ?? 0
        for (let j = random.whole(0, 3); j > 0; j--) {
          const count = random.whole(0, 20)
          const list = (most: number) => Array.from({ length: count }, () => random.whole(0, most))
          const own: Run = {
            count,
            hasSizes: random.pick([true, false]),
            ...(random.pick([true, false]) && { ticks: list(5_000) }),
            ...(random.pick([true, false]) && { offsets: list(9_000) }),
          }
          runs.push(own)
          for (let sample = 0; sample < count; sample++) {
            const ticks = own.ticks?.[sample] ?? usual ?? (index === 0 ? 512 : 1_024)
            const shown = (own.offsets?.[sample] ?? 0) + ticks
            latest = Math.max(latest, (time + shown) / scale, ((sums[index] ?? 0) + shown) / scale)
            time += ticks
            sums[index] = (sums[index] ?? 0) + ticks
          }
        }
        more.push(
          fragment({
            id: index + 1,
            runs,
            isLong: random.pick([true, false]),
            ...(base !== null && { base }),
            ...(usual !== null && { ticks: usual }),
          }),
        )
      }
      expect(secondsOf(inFragments(...more))).toBeGreaterThanOrEqual(latest)
    }
  })
})

describe(`the length of a WebM video (seed ${seed})`, () => {
  it('the length is the end of the latest block, or the stated duration if the duration is longer', () => {
    const content = [cluster(1_000, block('a3', 500)), cluster(2_000, block('a3', 250), block('a3', -100))]
    expect(secondsOf(webm({ content }))).toBe(2.25)
    const group = element('a0', block('a1', 100), element('9b', whole(4_000)))
    expect(secondsOf(webm({ content: [...content, cluster(2_000, group)] }))).toBe(6.1)
    expect(secondsOf(webm({ content, info: element('1549a966', element('4489', double(9_000))) }))).toBe(9)
  })

  it('the length uses the tick length that the file states', () => {
    const info = element('1549a966', element('2ad7b1', whole(2_000_000)), element('4489', double(9_000)))
    expect(secondsOf(webm({ info }))).toBe(18)
  })

  it('the length is known for files that browsers record, which have no sizes and no duration', () => {
    const content = [liveCluster(0, block('a3', 0)), liveCluster(7_000, block('a3', 20), block('a3', 40))]
    expect(secondsOf(webm({ content, isLive: true }))).toBe(7.04)
  })

  it.each([
    ['has two segments', Buffer.concat([webm({}), webm({})])],
    ['has two heads', webm({ content: [element('1549a966')] })],
    ['has two lists of tracks', webm({ content: [tracks] })],
    ['changes the ticks of a track', webm({ list: element('1654ae6b', element('23314f', double(0.5))) })],
    ['has a tick of no length', webm({ info: element('1549a966', element('2ad7b1', whole(0))) })],
    ['has no finite duration', webm({ info: element('1549a966', element('4489', double(Number.NaN))) })],
    ['has an unknown element', webm({ content: [element('1a2b3c4d')] })],
    ['has an unknown element in a cluster', webm({ content: [cluster(0, element('8e', none))] })],
    ['ends in an element', webm({ content: [cluster(0, block('a3', 9))] }).subarray(0, -2)],
  ])('the length is not known if the file %s', (_, file) => {
    expect(secondsOf(file)).toBeNull()
  })
})

it(`for a damaged file, the length is either a number or not known, and no error is thrown (seed ${seed})`, () => {
  const files = [
    mp4({ tracks: [track({ runs: [[30, 512]], offsets: [[30, 512]], edits: [[1_000, 1]] })], units: 1_000 }),
    mp4({
      inMovie: extension([512], box('mehd', words(0, 1_000))),
      tracks: [track({ runs: [[30, 512]] })],
      more: Buffer.concat([
        fragmentIndex(1_000, 0, [1_000]),
        fragment({ base: 15_360, isLong: true, runs: [{ count: 2, ticks: [512, 512], offsets: [0, 0] }] }),
      ]),
    }),
    webm({ content: [cluster(0, block('a3', 0)), liveCluster(1_000, block('a3', 30))], isLive: true }),
  ]
  let lengths = 0
  const runs = propertyRuns(isLong ? 200_000 : 20_000).numRuns
  for (let run = 0; run < runs; run++) {
    const file = Buffer.from(random.pick(files))
    for (let i = random.whole(1, 4); i > 0; i--)
      file[random.whole(0, file.length - 1)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.whole(0, 255)])
    const seconds = secondsOf(file.subarray(0, random.pick([file.length, random.whole(0, file.length)])))
    if (seconds === null) continue
    lengths++
    expect(seconds).toBeGreaterThanOrEqual(0)
    expect(Number.isFinite(seconds)).toBe(true)
  }
  expect(lengths).toBeGreaterThan(runs / 20)
})
