/**
 * Computes the length of a video in MP4 (also QuickTime) or WebM, because vendors count its frames by its seconds.
 *
 * The result is the latest of all times that the file states, because a vendor may use any of these times. The result
 * is null if the file has an unusual structure: two movies, unknown elements at the top, or an early end.
 */

export type VideoFormat = 'mp4' | 'webm'

export function videoFormat(file: Buffer): VideoFormat | null {
  if (file.length >= 8 && file.toString('latin1', 4, 8) === 'ftyp') return 'mp4'
  return file.length >= 4 && file.readUInt32BE(0) === ids.head ? 'webm' : null
}

export function videoSeconds(file: Buffer, format: VideoFormat): number | null {
  try {
    return format === 'mp4' ? mp4Seconds(file) : webmSeconds(file)
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

class Unreadable extends Error {}

interface Piece<Name> {
  readonly name: Name
  /** Positions in the file. The end is exclusive. */
  readonly start: number
  readonly end: number
}

/** A recorded or streamed MP4 movie (ISO/IEC 14496-12) may continue in fragments. */
function mp4Seconds(file: Buffer): number {
  const top = boxesIn(file, 0, file.length, topBoxesMax)
  if (top.some(({ name }) => !topBoxes.has(name))) throw new Unreadable()
  const movie = boxesWithin(file, only(top, 'moov'))
  if (movie.some(({ name }) => name === 'cmov')) throw new Unreadable()
  const { scale, seconds } = durationOf(file, only(movie, 'mvhd'))
  const tracks = movie
    .filter(({ name }) => name === 'trak')
    .map((track) => trackOf(file, boxesWithin(file, track), scale))
  if (tracks.length === 0 || tracks.length > tracksMax) throw new Unreadable()
  const stated = fragmentedSeconds(file, { top, movie, tracks, scale })
  return Math.max(seconds, stated, ...tracks.map(trackSeconds))
}

const tracksMax = 32
/** The maximum is high because a fragment may contain a single frame. */
const topBoxesMax = 100_000

const fragmentBoxes = ['moof', 'styp', 'sidx', 'ssix', 'prft', 'emsg', 'mfra']
const plainBoxes = ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'udta', 'meta', 'uuid', 'pdin']
const topBoxes = new Set([...plainBoxes, ...fragmentBoxes])

interface Track {
  /** Null if the track has no head, so that no fragment can continue the track. */
  readonly id: number | null
  readonly scale: number
  readonly statedSeconds: number
  readonly editedSeconds: number
  /** Duration of the samples so far, in ticks of the track. */
  ticks: number
  /** Time at which the last frame so far has been shown. */
  latestTicks: number
  hasFragments: boolean
}

function trackOf(file: Buffer, track: readonly Piece<string>[], movieScale: number): Track {
  const media = boxesWithin(file, only(track, 'mdia'))
  const { scale, seconds } = durationOf(file, only(media, 'mdhd'))
  const samples = boxesWithin(file, only(boxesWithin(file, only(media, 'minf')), 'stbl'))
  const ticks = sumOfRuns(file, only(samples, 'stts'), (count, each) => count * each)
  const offsets = optional(samples, 'ctts')
  const head = optional(track, 'tkhd')
  return {
    id: head === null ? null : wordIn(file, head, file[head.start] === 1 ? 20 : 12),
    scale,
    statedSeconds: seconds,
    editedSeconds: secondsOfEdits(file, track, movieScale),
    ticks,
    // Frames may be shown later than they are decoded.
    latestTicks: ticks + (offsets === null ? 0 : largestOffset(file, offsets)),
    hasFragments: false,
  }
}

function trackSeconds({ editedSeconds, hasFragments, latestTicks, scale, statedSeconds }: Track): number {
  const own = latestTicks / scale
  // The last edit of a movie with fragments states no length, and the fragments play after all earlier edits.
  return Math.max(statedSeconds, editedSeconds, hasFragments ? editedSeconds + own : own)
}

interface Movie {
  readonly top: readonly Piece<string>[]
  readonly movie: readonly Piece<string>[]
  readonly tracks: readonly Track[]
  readonly scale: number
}

/** Returns the length that boxes of the fragments state for the movie. */
function fragmentedSeconds(file: Buffer, { movie, scale, top, tracks }: Movie): number {
  const extension = optional(movie, 'mvex')
  if (extension === null) {
    if (top.some(({ name }) => fragmentBoxes.includes(name))) throw new Unreadable()
    return 0
  }
  const boxes = boxesWithin(file, extension)
  const byId = new Map<number, Track>()
  for (const track of tracks) {
    // Reject two tracks with the same ID, because a fragment would continue both tracks.
    if (track.id === null || byId.has(track.id)) throw new Unreadable()
    byId.set(track.id, track)
  }
  const usualTicks = new Map<number, number>()
  for (const box of boxes)
    if (box.name === 'trex') usualTicks.set(wordIn(file, box, 4), wordIn(file, box, 12))
  for (const box of top)
    if (box.name === 'moof')
      for (const part of boxesWithin(file, box))
        if (part.name === 'traf') addFragment(file, part, byId, usualTicks)
  const stated = optional(boxes, 'mehd')
  let seconds = stated === null ? 0 : timeIn(file, stated, 4) / scale
  for (const box of top) if (box.name === 'sidx') seconds = Math.max(seconds, indexedSeconds(file, box))
  return seconds
}

/** See "8.8 Movie fragments". */
function addFragment(
  file: Buffer,
  fragment: Piece<string>,
  tracks: ReadonlyMap<number, Track>,
  usualTicks: ReadonlyMap<number, number>,
): void {
  const boxes = boxesWithin(file, fragment)
  const head = only(boxes, 'tfhd')
  const flags = wordIn(file, head, 0) & 0xff_ffff
  const id = wordIn(file, head, 4)
  const track = tracks.get(id)
  const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0)
  const ticks = flags & 8 ? wordIn(file, head, at) : usualTicks.get(id)
  if (track === undefined || ticks === undefined) throw new Unreadable()
  track.hasFragments = true
  // A decoder may start a fragment at the stated time or where the previous fragment ended, so use the later time.
  const base = optional(boxes, 'tfdt')
  if (base !== null) track.ticks = Math.max(track.ticks, timeIn(file, base, 4))
  // With this flag, the fragment is a pause without samples.
  if (flags & 0x1_0000) track.ticks += ticks
  for (const box of boxes) if (box.name === 'trun') addRun(file, box, track, ticks)
  track.latestTicks = Math.max(track.latestTicks, track.ticks)
}

function addRun(file: Buffer, run: Piece<string>, track: Track, usualTicks: number): void {
  const flags = wordIn(file, run, 0)
  const count = wordIn(file, run, 4)
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag)
  const first = run.start + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
  const sampleBytes = 4 * fields.length
  if (first + count * sampleBytes > run.end) throw new Unreadable()
  const hasTicks = fields[0] === 0x100
  const hasOffset = fields.at(-1) === 0x800
  if (!hasTicks && !hasOffset) {
    track.ticks += count * usualTicks
    return
  }
  for (let i = 0, at = first; i < count; i++, at += sampleBytes) {
    track.ticks += hasTicks ? file.readUInt32BE(at) : usualTicks
    const offset = hasOffset ? file.readInt32BE(at + sampleBytes - 4) : 0
    track.latestTicks = Math.max(track.latestTicks, track.ticks + offset)
  }
}

/** See "8.16.3 Segment index box". */
function indexedSeconds(file: Buffer, index: Piece<string>): number {
  const scale = wordIn(file, index, 8)
  const at = file[index.start] === 1 ? 30 : 22
  const count = wordIn(file, index, at - 2) & 0xffff
  if (scale === 0 || index.start + at + 2 + count * 12 > index.end) throw new Unreadable()
  let ticks = timeIn(file, index, 12)
  for (let i = 0; i < count; i++) ticks += wordIn(file, index, at + 2 + i * 12 + 4)
  return ticks / scale
}

/** Times have 32 bits, or 64 bits in version 1 of the box. */
function timeIn(file: Buffer, box: Piece<string>, at: number): number {
  if (file[box.start] !== 1) return wordIn(file, box, at)
  return wordIn(file, box, at) * 2 ** 32 + wordIn(file, box, at + 4)
}

function wordIn(file: Buffer, { end, start }: Piece<string>, at: number): number {
  if (start + at + 4 > end) throw new Unreadable()
  return file.readUInt32BE(start + at)
}

/** Edits may repeat parts of the track, and may begin with a pause. */
function secondsOfEdits(file: Buffer, track: readonly Piece<string>[], movieScale: number): number {
  const box = optional(track, 'edts')
  const list = box === null ? null : optional(boxesWithin(file, box), 'elst')
  if (list === null) return 0
  const isLong = file[list.start] === 1
  const entryBytes = isLong ? 20 : 12
  let ticks = 0
  for (const at of entriesOf(file, list, entryBytes)) {
    const rate = file.readInt16BE(at + entryBytes - 4)
    // Reject other speeds, because a slower edit shows each frame for a longer time.
    if (rate !== 1 && rate !== 0) throw new Unreadable()
    ticks += isLong ? Number(file.readBigUInt64BE(at)) : file.readUInt32BE(at)
  }
  return ticks / movieScale
}

function sumOfRuns(
  file: Buffer,
  table: Piece<string>,
  ofRun: (count: number, value: number) => number,
): number {
  let sum = 0
  for (const at of entriesOf(file, table, 8)) sum += ofRun(file.readUInt32BE(at), file.readUInt32BE(at + 4))
  return sum
}

function largestOffset(file: Buffer, table: Piece<string>): number {
  let largest = 0
  for (const at of entriesOf(file, table, 8)) largest = Math.max(largest, file.readInt32BE(at + 4))
  return largest
}

/** The number of entries follows the version and the flags of the box. */
function* entriesOf(file: Buffer, { end, start }: Piece<string>, entryBytes: number): Generator<number> {
  if (end - start < 8) throw new Unreadable()
  const count = file.readUInt32BE(start + 4)
  if (count * entryBytes > end - start - 8) throw new Unreadable()
  for (let i = 0; i < count; i++) yield start + 8 + i * entryBytes
}

function durationOf(
  file: Buffer,
  { end, start }: Piece<string>,
): { readonly scale: number; readonly seconds: number } {
  const isLong = file[start] === 1
  if (end - start < (isLong ? 32 : 20)) throw new Unreadable()
  const scale = file.readUInt32BE(start + (isLong ? 20 : 12))
  const units = isLong ? Number(file.readBigUInt64BE(start + 24)) : file.readUInt32BE(start + 16)
  if (scale === 0) throw new Unreadable()
  const isUnknown = units === 0xffff_ffff || units >= 2 ** 63
  return { scale, seconds: isUnknown ? 0 : units / scale }
}

function boxesWithin(file: Buffer, { end, start }: Piece<string>): readonly Piece<string>[] {
  return boxesIn(file, start, end)
}

function boxesIn(file: Buffer, from: number, to: number, most = boxesMax): readonly Piece<string>[] {
  const boxes: Piece<string>[] = []
  // In QuickTime, four zero bytes may end a list of boxes.
  for (let at = from; at < to && !(to - at === 4 && file.readUInt32BE(at) === 0);) {
    if (to - at < 8 || boxes.length === most) throw new Unreadable()
    const size = file.readUInt32BE(at)
    const isLong = size === 1
    if (isLong && to - at < 16) throw new Unreadable()
    const start = at + (isLong ? 16 : 8)
    const end = size === 0 ? to : at + (isLong ? Number(file.readBigUInt64BE(at + 8)) : size)
    if (end < start || end > to) throw new Unreadable()
    boxes.push({ name: file.toString('latin1', at + 4, at + 8), start, end })
    at = end
  }
  return boxes
}

const boxesMax = 256

function only(boxes: readonly Piece<string>[], name: string): Piece<string> {
  const box = optional(boxes, name)
  if (box === null) throw new Unreadable()
  return box
}

function optional(boxes: readonly Piece<string>[], name: string): Piece<string> | null {
  const [found = null, ...more] = boxes.filter((box) => box.name === name)
  if (more.length > 0) throw new Unreadable()
  return found
}

/** Files that browsers record have no duration, and their segment and clusters have an unknown size (RFC 9559). */
function webmSeconds(file: Buffer): number {
  const head = elementAt(file, 0, file.length)
  const segment = elementAt(file, head.end, file.length)
  if (head.name !== ids.head || segment.name !== ids.segment || segment.end !== file.length)
    throw new Unreadable()
  let nanosecondsPerTick = 1_000_000
  let durationTicks = 0
  let latestTicks = 0
  let hasInfo = false
  let hasTracks = false
  for (let at = segment.start; at < segment.end;) {
    const element = elementAt(file, at, segment.end)
    at = element.end
    if (element.name === ids.info) {
      const { scale, ticks } = infoOf(file, element)
      if (hasInfo || scale === 0) throw new Unreadable()
      hasInfo = true
      nanosecondsPerTick = scale
      durationTicks = ticks
    } else if (element.name === ids.tracks) {
      // Reject a second list of tracks, because it may change the length of a tick.
      if (hasTracks || file.subarray(element.start, element.end).includes(trackScale)) throw new Unreadable()
      hasTracks = true
    } else if (element.name === ids.cluster) {
      const { end, ticks } = clusterAt(file, element)
      at = end
      latestTicks = Math.max(latestTicks, ticks)
    } else if (!besideClusters.has(element.name)) throw new Unreadable()
  }
  if (!hasTracks) throw new Unreadable()
  const seconds = (Math.max(durationTicks, latestTicks) * nanosecondsPerTick) / 1e9
  if (!Number.isFinite(seconds)) throw new Unreadable()
  return seconds
}

const ids = {
  head: 0x1a_45_df_a3,
  segment: 0x18_53_80_67,
  info: 0x15_49_a9_66,
  tracks: 0x16_54_ae_6b,
  cluster: 0x1f_43_b6_75,
  time: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
  scale: 0x2a_d7_b1,
  duration: 0x44_89,
} as const

/** Elements without a time, such as lists of seeks, cues and tags. */
const besideClusters = new Set([
  0x11_4d_9b_74, 0x1c_53_bb_6b, 0x12_54_c3_67, 0x10_43_a7_70, 0x19_41_a4_69, 0xec, 0xbf,
])
/** Elements of a cluster without a time, such as the cluster's position. */
const besideBlocks = new Set([0xa7, 0xab, 0xec, 0xbf])
const trackScale = Buffer.from('23314f', 'hex')

function infoOf(file: Buffer, info: Piece<number>): { readonly scale: number; readonly ticks: number } {
  let scale = 1_000_000
  let ticks = 0
  for (let at = info.start; at < info.end;) {
    const element = elementAt(file, at, info.end)
    at = element.end
    if (element.name === ids.scale) scale = wholeAt(file, element)
    else if (element.name === ids.duration) ticks = floatAt(file, element)
  }
  return { scale, ticks }
}

/** A block without a duration ends at the time at which it begins. */
function clusterAt(file: Buffer, cluster: Piece<number>): { readonly end: number; readonly ticks: number } {
  let time = 0
  let latest = 0
  let at = cluster.start
  while (at < cluster.end) {
    const element = elementAt(file, at, cluster.end)
    // A cluster of unknown size ends where the next element of the segment begins.
    if (element.name > 0xff_ff) break
    at = element.end
    if (element.name === ids.time) time = wholeAt(file, element)
    else if (element.name === ids.simpleBlock) latest = Math.max(latest, time + blockTime(file, element))
    else if (element.name === ids.blockGroup) latest = Math.max(latest, time + groupTime(file, element))
    else if (!besideBlocks.has(element.name)) throw new Unreadable()
  }
  return { end: at, ticks: Math.max(latest, time) }
}

function groupTime(file: Buffer, group: Piece<number>): number {
  let time = 0
  let duration = 0
  for (let at = group.start; at < group.end;) {
    const element = elementAt(file, at, group.end)
    at = element.end
    if (element.name === ids.block) time = Math.max(time, blockTime(file, element))
    else if (element.name === ids.blockDuration) duration = wholeAt(file, element)
  }
  return time + duration
}

/** The time follows the track number, and is relative to the time of the cluster. */
function blockTime(file: Buffer, { end, start }: Piece<number>): number {
  const at = start + lengthOfNumber(file, start)
  if (at + 3 > end) throw new Unreadable()
  return file.readInt16BE(at)
}

/** Only a segment or a cluster may have an unknown size. Such an element ends at `to`. */
function elementAt(file: Buffer, at: number, to: number): Piece<number> {
  const idBytes = lengthOfNumber(file, at)
  const sizeAt = at + idBytes
  const sizeBytes = lengthOfNumber(file, sizeAt)
  const start = sizeAt + sizeBytes
  if (idBytes > 4 || start > to) throw new Unreadable()
  const name = file.readUIntBE(at, idBytes)
  let size = (file[sizeAt] ?? 0) & (0xff >> sizeBytes)
  let isUnknown = size === 0xff >> sizeBytes
  for (let i = 1; i < sizeBytes; i++) {
    const byte = file[sizeAt + i] ?? 0
    isUnknown &&= byte === 0xff
    size = size * 256 + byte
  }
  if (isUnknown && name !== ids.segment && name !== ids.cluster) throw new Unreadable()
  const end = isUnknown ? to : start + size
  if (end > to) throw new Unreadable()
  return { name, start, end }
}

/** The number of leading zeros in the first byte determines how many bytes an ID or a size has. */
function lengthOfNumber(file: Buffer, at: number): number {
  const first = file[at] ?? 0
  if (first === 0) throw new Unreadable()
  return Math.clz32(first) - 23
}

function wholeAt(file: Buffer, { end, start }: Piece<number>): number {
  const bytes = end - start
  if (bytes < 1 || bytes > 6) throw new Unreadable()
  return file.readUIntBE(start, bytes)
}

function floatAt(file: Buffer, { end, start }: Piece<number>): number {
  if (end - start === 8) return file.readDoubleBE(start)
  if (end - start === 4) return file.readFloatBE(start)
  throw new Unreadable()
}
