/**
 * Computes the length of a sound inside a container. Phones and browsers record AAC in MP4 and Opus in WebM. The result
 * is null for all other codecs. A frame counts at every position where a decoder may find one, as in sound-length.ts.
 * The lengths that the file headers state are also counted, because a vendor may bill by these lengths. The result is
 * also null if a header is encrypted, compressed or damaged.
 */
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import { aacRates, opusPacketSeconds, opusSeconds } from './aac-rates-and-opus-lengths.ts'

/** Returns the length of AAC in MP4 (ISO/IEC 14496-12, "8.7 Sample table"). */
export function* mp4Seconds(file: Buffer): Steps<number | null> {
  for (const codec of otherCodecs) {
    yield
    if (file.includes(codec, 0, 'latin1')) return null
  }
  let rate = Infinity
  for (const at of placesOf(file, 'esds')) rate = Math.min(rate, aacRateAt(file, at))
  if (rate === 0 || rate === Infinity) return null
  let samples = 0
  for (const box of ['stsz', 'stz2']) for (const at of placesOf(file, box)) samples += wordAt(file, at + 12)
  yield
  for (const at of placesOf(file, 'trun')) samples += wordAt(file, at + 8)
  let stated = 0
  for (const box of ['mvhd', 'mdhd'])
    for (const at of placesOf(file, box)) stated = Math.max(stated, durationAt(file, at + 4))
  return Math.max((samples * 1_024) / rate, stated)
}

/** Marks of other codecs, and of a compressed header. The length of a file with one of these marks is not known. */
const otherCodecs = [
  'alac',
  'Opus',
  'fLaC',
  'ac-3',
  'ec-3',
  'ac-4',
  'samr',
  'sawb',
  'sawp',
  '.mp3',
  'lpcm',
  'sowt',
  'twos',
  'in24',
  'in32',
  'fl32',
  'fl64',
  'ulaw',
  'alaw',
  'mha1',
  'mhm1',
  'dtsc',
  'dtsh',
  'dtsl',
  'dtse',
  'enca',
  'cmov',
  'ima4',
  'MAC3',
  'MAC6',
  'QDM2',
  'Qclp',
  'agsm',
  'iamf',
  'raw ',
  'NONE',
  'ipcm',
  'fpcm',
] as const

function* placesOf(file: Buffer, name: string): Generator<number> {
  for (let at = file.indexOf(name, 0, 'latin1'); at >= 0; at = file.indexOf(name, at + 1, 'latin1')) yield at
}

function wordAt(file: Buffer, at: number): number {
  return at + 4 <= file.length ? file.readUInt32BE(at) : 0
}

/** Returns the seconds that the header of a movie or a track states. Returns 0 if the header states no length. */
function durationAt(file: Buffer, at: number): number {
  if (at + 32 > file.length) return 0
  const isLong = file[at] === 1
  const scale = file.readUInt32BE(at + (isLong ? 20 : 12))
  const units = isLong ? Number(file.readBigUInt64BE(at + 24)) : file.readUInt32BE(at + 16)
  return scale === 0 || units >= 0xffff_ffff ? 0 : units / scale
}

/**
 * Returns the sampling rate in an AAC decoder's configuration (ISO/IEC 14496-1, "7.2.6"). Returns 0 for other codecs.
 */
function aacRateAt(file: Buffer, esds: number): number {
  const stream = descriptorAt(file, esds + 8, 3)
  if (stream < 0 || file[stream + 2] !== 0) return 0
  const decoder = descriptorAt(file, stream + 3, 4)
  if (decoder < 0 || file[decoder] !== 0x40) return 0
  const config = descriptorAt(file, decoder + 13, 5)
  if (config < 0 || config + 2 > file.length) return 0
  const bits = file.readUInt16BE(config)
  const kind = bits >> 11
  // AAC-LC, and the two object types that extend AAC-LC.
  return kind === 2 || kind === 5 || kind === 29 ? (aacRates[(bits >> 7) & 15] ?? 0) : 0
}

/** Returns -1 if the descriptor does not have the expected tag. */
function descriptorAt(file: Buffer, at: number, tag: number): number {
  if (file[at] !== tag) return -1
  let end = at + 1
  while (end < at + 4 && ((file[end] ?? 0) & 0x80) !== 0) end++
  return end + 1
}

/**
 * Returns the length of Opus in WebM (RFC 9559). A block contains one packet, or several packets with a list of their
 * sizes (lacing).
 */
export function* webmSeconds(file: Buffer): Steps<number | null> {
  const head = headOf(file)
  const tracks = head === null ? null : tracksOf(file, head)
  if (head === null || tracks === null) return null
  const marks = new Set<number>()
  for (let at = tracks.indexOf(0xd7); at >= 0; at = tracks.indexOf(0xd7, at + 1)) {
    const [, size = 0, number = 0] = tracks.subarray(at, at + 3)
    // Reject a track number of more than one byte, because the search for blocks below looks for a single byte.
    if (size > 0x81 && size <= 0x88) return null
    if (size === 0x81 && number > 0 && number < 0x7f) marks.add(0x80 | number)
  }
  let seconds = 0
  for (let from = 0; from < file.length; from += stepBytes) {
    if (from > 0) yield
    const to = Math.min(file.length, from + stepBytes)
    for (let at = from; at < to; at++) {
      const id = file[at]
      if (id === 0xa3 || id === 0xa1) seconds += blockSeconds(file, at + 1, marks)
    }
  }
  const info = head.elements.find(({ id }) => id === infoId)
  return Math.max(seconds, statedSeconds(file, file.subarray(info?.start ?? 0, info?.end ?? 0)))
}

const stepBytes = 1024 * 1024
const headId = 0x1a_45_df_a3
const segmentId = 0x18_53_80_67
const seekHeadId = 0x11_4d_9b_74
const infoId = 0x15_49_a9_66
const tracksId = 0x16_54_ae_6b
const clusterId = 0x1f_43_b6_75

interface Element {
  readonly id: number
  readonly at: number
  readonly start: number
  readonly end: number
}

interface Head {
  /** Positions in the file are relative to this position. */
  readonly segment: number
  readonly elements: readonly Element[]
}

/**
 * Reads the elements before the first cluster in their order, as decoders do. Null if an element has an unexpected
 * form.
 */
function headOf(file: Buffer): Head | null {
  const ebml = elementAt(file, 0)
  const segment = ebml?.id === headId ? elementAt(file, ebml.end) : null
  if (segment?.id !== segmentId) return null
  const elements: Element[] = []
  for (let at = segment.start; elements.length < elementsMax;) {
    const element = elementAt(file, at)
    if (element === null) return null
    if (element.id === clusterId) return { segment: segment.start, elements }
    elements.push(element)
    at = element.end
  }
  return null
}

const elementsMax = 64

function elementAt(file: Buffer, at: number): Element | null {
  const idBytes = Math.clz32(file[at] ?? 0) - 23
  const size = idBytes > 4 ? null : sizeAt(file, at + idBytes)
  if (size === null) return null
  return { id: file.readUIntBE(at, idBytes), at, start: size.end, end: size.end + size.value }
}

/**
 * Returns the list of tracks if all sounds of the file are plain Opus. Null if the file may have a second list, whose
 * sounds could have another codec. A second list is possible if the list's ID occurs elsewhere, except in a SeekHead
 * that points to the list.
 */
function tracksOf(file: Buffer, { elements, segment }: Head): Buffer | null {
  const [list, ...more] = elements.filter(({ id }) => id === tracksId)
  if (list === undefined || more.length > 0 || list.end > file.length) return null
  const mark = Buffer.alloc(4)
  mark.writeUInt32BE(tracksId)
  for (let at = file.indexOf(mark); at >= 0; at = file.indexOf(mark, at + 1)) {
    const isSeek = elements.some(({ end, id, start }) => id === seekHeadId && at >= start && at < end)
    const size = file.readUInt16BE(at + 4) === 0x53ac ? sizeAt(file, at + 6) : null
    const position =
      size === null || size.value < 1 || size.value > 6 ? -1 : file.readUIntBE(size.end, size.value)
    if (at !== list.at && !(isSeek && position === list.at - segment)) return null
  }
  const tracks = file.subarray(list.start, list.end)
  const isOpus = tracks.includes('A_OPUS', 0, 'latin1')
  const isOther = otherWebmCodecs.some((codec) => tracks.includes(codec, 0, 'latin1'))
  // In a track with encodings, blocks may be compressed or encrypted.
  return isOpus && !isOther && !tracks.includes(encodings) ? tracks : null
}

const encodings = Buffer.from('6d80', 'hex')

const otherWebmCodecs = [
  'A_VORBIS',
  'A_AAC',
  'A_MPEG',
  'A_AC3',
  'A_EAC3',
  'A_DTS',
  'A_PCM',
  'A_FLAC',
  'A_TTA',
  'A_WAVPACK',
  'A_TRUEHD',
  'A_ALAC',
  'A_REAL',
  'A_QUICKTIME',
  'A_MS',
  'A_MLP',
  'A_ATRAC',
] as const

/** The first byte determines the number of bytes of the size. */
function sizeAt(file: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  const first = file[at] ?? 0
  const bytes = Math.clz32(first) - 23
  if (first === 0 || at + bytes > file.length) return null
  let value = first & (0xff >> bytes)
  for (let i = 1; i < bytes; i++) value = value * 256 + (file[at + i] ?? 0)
  return { value, end: at + bytes }
}

function blockSeconds(file: Buffer, at: number, marks: ReadonlySet<number>): number {
  const size = sizeAt(file, at)
  if (size === null || !marks.has(file[size.end] ?? 0)) return 0
  const packet = size.end + 4
  const bytes = Math.min(size.value - 4, file.length - packet)
  if (bytes <= 0) return 0
  const lacing = (file[packet - 1] ?? 0) & 0x06
  if (lacing === 0) return opusSeconds(file, packet, bytes)
  return isLaced(file.subarray(packet, packet + bytes), lacing)
    ? Math.min(bytes, (file[packet] ?? 0) + 1) * opusPacketSeconds
    : 0
}

/** The first byte of the list is the number of packets minus one. */
function isLaced(block: Buffer, lacing: number): boolean {
  const sizes = block[0] ?? 0
  // With this lacing, all packets have the same size.
  if (lacing === 0x04) return (block.length - 1) % (sizes + 1) === 0
  let at = 1
  let sum = 0
  let last = 0
  for (let i = 0; i < sizes; i++) {
    let size = 0
    if (lacing === 0x02) {
      for (; block[at] === 0xff; at++) size += 0xff
      size += block[at++] ?? 0
    } else {
      const bytes = Math.clz32(block[at] ?? 0) - 23
      const stated = sizeAt(block, at)
      if (stated === null) return false
      // All sizes after the first one are stored as differences.
      size = i === 0 ? stated.value : last + stated.value - (2 ** (7 * bytes - 1) - 1)
      at = stated.end
    }
    last = size
    sum += size
    if (size < 0 || at + sum > block.length) return false
  }
  return true
}

function statedSeconds(file: Buffer, info: Buffer): number {
  const scale = numberIn(info, '2ad7b1') ?? 1_000_000
  const unitsAt = info.indexOf(Buffer.from('4489', 'hex'))
  let units = 0
  if (unitsAt >= 0 && unitsAt + 11 <= info.length)
    units = info[unitsAt + 2] === 0x88 ? info.readDoubleBE(unitsAt + 3) : info.readFloatBE(unitsAt + 3)
  const mark = Buffer.alloc(4)
  mark.writeUInt32BE(clusterId)
  for (let at = file.indexOf(mark); at >= 0; at = file.indexOf(mark, at + 1)) {
    const start = sizeAt(file, at + 4)?.end ?? file.length
    units = Math.max(units, numberIn(file.subarray(start, start + clusterHeadBytes), 'e7') ?? 0)
  }
  const seconds = (units * scale) / 1e9
  return Number.isFinite(seconds) ? seconds : 0
}

/** Only a checksum may precede the time of a cluster, so search for it in the first bytes. */
const clusterHeadBytes = 16

function numberIn(file: Buffer, id: string): number | null {
  const mark = Buffer.from(id, 'hex')
  const at = file.indexOf(mark)
  const size = at < 0 ? null : sizeAt(file, at + mark.length)
  if (size === null || size.value < 1 || size.value > 6 || size.end + size.value > file.length) return null
  return file.readUIntBE(size.end, size.value)
}
