/**
 * Computes the length of a sound from the heads of its frames, because vendors count the tokens of a sound by its
 * seconds. Silence needs few bytes, so the size of a compressed file does not limit its length.
 *
 * The functions in this file add up the length of every frame head, at any position. The sum is at least the length
 * that a decoder finds, even if the file is written to mislead the gateway. Other data rarely looks like a frame head.
 *
 * The result is null for formats outside `SoundFormat`, and for files that a decoder of the stated format may read
 * differently.
 */
import { resultOf, type Steps } from '#wire/text/computation-with-pauses.ts'
import { mp4Seconds, webmSeconds } from './sound-length-in-container.ts'
import { aacRates, opusSeconds } from './aac-rates-and-opus-lengths.ts'

export type SoundFormat = 'wav' | 'mp3' | 'aac' | 'flac' | 'ogg' | 'mp4' | 'webm'

export function soundFormat(file: Buffer): SoundFormat | null {
  const start = tagEnd(file)
  if (start === 0 && textAt(file, 0, 4) === 'RIFF' && textAt(file, 8, 4) === 'WAVE') return 'wav'
  if (start === 0 && textAt(file, 0, 4) === 'OggS') return 'ogg'
  if (start === 0 && textAt(file, 4, 4) === 'ftyp') return 'mp4'
  if (start === 0 && textAt(file, 0, 4) === '\x1a\x45\xdf\xa3') return 'webm'
  if (textAt(file, start, 4) === 'fLaC') return 'flac'
  if (adtsSeconds(file, start) > 0) return 'aac'
  return mpegSeconds(file, start) > 0 ? 'mp3' : null
}

/** Null if the length is not known. @param bytes size of the whole file */
export function soundSeconds(file: Buffer, format: SoundFormat, bytes: number): number | null {
  return resultOf(soundSecondsInSteps(file, format, bytes))
}

/** Pauses after each megabyte. */
export function soundSecondsInSteps(file: Buffer, format: SoundFormat, bytes: number): Steps<number | null> {
  switch (format) {
    case 'wav':
      return wavSeconds(file, bytes)
    case 'mp3':
      return sumOfFrames(file, mpegSeconds)
    case 'aac':
      return sumOfFrames(file, adtsSeconds)
    case 'flac':
      return flacSeconds(file)
    case 'ogg':
      return oggSeconds(file)
    case 'mp4':
      return mp4Seconds(file)
    case 'webm':
      return webmSeconds(file)
  }
}

const stepBytes = 1024 * 1024

function textAt(file: Buffer, at: number, length: number): string {
  return file.toString('latin1', at, at + length)
}

/** Returns where the ID3v2 tag of a file ends (ID3v2.4.0, section 3.1). */
function tagEnd(file: Buffer): number {
  if (file.length < 10 || textAt(file, 0, 3) !== 'ID3') return 0
  const [a = 0, b = 0, c = 0, d = 0] = file.subarray(6, 10)
  const footerBytes = (file[5] ?? 0) & 0x10 ? 10 : 0
  return 10 + ((a & 0x7f) << 21) + ((b & 0x7f) << 14) + ((c & 0x7f) << 7) + (d & 0x7f) + footerBytes
}

function* sumOfFrames(file: Buffer, secondsAt: (file: Buffer, at: number) => number): Steps<number> {
  let seconds = 0
  for (let from = 0; from < file.length; from += stepBytes) {
    if (from > 0) yield
    const to = Math.min(file.length, from + stepBytes)
    for (let at = from; at < to; at++) if (file[at] === 0xff) seconds += secondsAt(file, at)
  }
  return seconds
}

/**
 * Divides the size of a WAV file by the bytes per second in its head (Multimedia Programming Interface 1.0, "Waveform
 * Audio File Format"). Null if the samples are compressed.
 */
// oxlint-disable-next-line require-yield -- the head is read in one step
function* wavSeconds(file: Buffer, bytes: number): Steps<number | null> {
  if (textAt(file, 12, 4) !== 'fmt ' || file.length < 36) return null
  const format = file.readUInt16LE(20)
  const channels = file.readUInt16LE(22)
  const rate = file.readUInt32LE(24)
  const blockBytes = file.readUInt16LE(32)
  const isPlain = format === 1 || format === 3 || format === 0xfffe
  if (!isPlain || rate < 1 || channels < 1 || blockBytes * 8 !== channels * file.readUInt16LE(34)) return null
  return bytes / (rate * blockBytes)
}

/**
 * Returns the seconds of a frame of MPEG audio, with any layer (ISO/IEC 11172-3 and 13818-3, "header"). 0 if no frame
 * head is at the position.
 */
function mpegSeconds(file: Buffer, at: number): number {
  const second = file[at + 1] ?? 0
  const third = file[at + 2] ?? 0xff
  const version = (second >> 3) & 3
  const layer = (second >> 1) & 3
  const rate = mpegRates[(third >> 2) & 3] ?? 0
  if (file[at] !== 0xff || second < 0xe0 || version === 1 || layer === 0 || third >= 0xf0 || rate === 0)
    return 0
  const isVersion1 = version === 3
  const samples = layer === 3 ? 384 : layer === 2 || isVersion1 ? 1_152 : 576
  return (samples * (isVersion1 ? 1 : version === 2 ? 2 : 4)) / rate
}

const mpegRates = [44_100, 48_000, 32_000]

/**
 * Returns the seconds of a frame of AAC (ISO/IEC 13818-7, "adts_fixed_header"). 0 if no frame head is at the position.
 */
function adtsSeconds(file: Buffer, at: number): number {
  const rate = aacRates[((file[at + 2] ?? 0xff) >> 2) & 15] ?? 0
  if (file[at] !== 0xff || ((file[at + 1] ?? 0) & 0xf6) !== 0xf0 || rate === 0 || at + 7 > file.length)
    return 0
  const blocks = ((file[at + 6] ?? 0) & 3) + 1
  return (blocks * 1_024) / rate
}

/** Frame heads of FLAC (RFC 9639, section 9.1) have a checksum, so other data is rarely counted as a frame. */
function* flacSeconds(file: Buffer): Steps<number | null> {
  const start = tagEnd(file)
  if (start + 42 > file.length) return null
  const streamRate = file.readUIntBE(start + 18, 3) >> 4
  if (streamRate === 0) return null
  return yield* sumOfFrames(file, (_, at) => flacFrameSeconds(file, at, streamRate))
}

function flacFrameSeconds(file: Buffer, at: number, streamRate: number): number {
  if (((file[at + 1] ?? 0) & 0xfe) !== 0xf8) return 0
  const sizes = file[at + 2] ?? 0
  // After four fixed bytes, a frame head has the frame number, which has up to seven bytes and is coded like UTF-8.
  const first = file[at + 4] ?? 0
  const numberBytes = first < 0x80 ? 1 : Math.clz32(~(first << 24))
  let end = at + 4 + numberBytes
  const read = (bytes: number): number => {
    const value = end + bytes <= file.length ? file.readUIntBE(end, bytes) : 0
    end += bytes
    return value
  }
  const samples = flacSamples(sizes >> 4, read)
  const rate = flacRate(sizes & 15, read) || streamRate
  if (samples === 0 || end >= file.length || numberBytes > 7) return 0
  return checkOf(file, at, end) === file[end] ? samples / rate : 0
}

function flacSamples(code: number, read: (bytes: number) => number): number {
  if (code === 0) return 0
  if (code === 1) return 192
  if (code <= 5) return 144 << code
  if (code === 6) return read(1) + 1
  return code === 7 ? read(2) + 1 : 1 << code
}

/** Returns 0 if the frame does not state its own sample rate. */
function flacRate(code: number, read: (bytes: number) => number): number {
  if (code === 12) return read(1) * 1_000
  if (code === 13) return read(2)
  if (code === 14) return read(2) * 10
  return flacRates[code] ?? 0
}

const flacRates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]

/** The CRC of a frame head, with the polynomial x^8 + x^2 + x + 1. */
function checkOf(file: Buffer, from: number, to: number): number {
  let check = 0
  for (let at = from; at < to; at++) check = checks[check ^ (file[at] ?? 0)] ?? 0
  return check
}

const checks = Uint8Array.from({ length: 256 }, (_, byte) => {
  let check = byte
  for (let bit = 0; bit < 8; bit++) check = (check << 1) ^ (check & 0x80 ? 0x107 : 0)
  return check
})

/** Returns the length of the pages of Ogg (RFC 3533), with Opus (RFC 6716, RFC 7845) or Vorbis. */
function* oggSeconds(file: Buffer): Steps<number | null> {
  const vorbis = file.indexOf(vorbisHead)
  const isOpus = file.includes('OpusHead')
  if (vorbis < 0) return isOpus ? yield* packetSeconds(file, opusSeconds) : null
  if (isOpus || vorbis + 30 > file.length || file.indexOf(vorbisHead, vorbis + 1) >= 0) return null
  const rate = file.readUInt32LE(vorbis + 12)
  const longBlock = 1 << ((file[vorbis + 28] ?? 0) >> 4)
  return rate === 0 ? null : yield* packetSeconds(file, () => longBlock / 2 / rate)
}

const vorbisHead = Buffer.from('\x01vorbis', 'latin1')
const pageMark = Buffer.from('OggS')

/**
 * If a packet began on the previous page, its second part counts as a separate packet. Returns null if the pages have
 * more segments than the file has bytes, which is only possible if pages overlap.
 */
function* packetSeconds(
  file: Buffer,
  secondsOf: (file: Buffer, at: number, bytes: number) => number,
): Steps<number | null> {
  let segmentsLeft = file.length
  let seconds = 0
  let pauseAt = stepBytes
  for (let page = file.indexOf(pageMark); page >= 0; page = file.indexOf(pageMark, page + 1)) {
    if (page >= pauseAt) {
      pauseAt = page + stepBytes
      yield
    }
    const segments = file[page + 26] ?? 0
    segmentsLeft -= segments
    if (segmentsLeft < 0) return null
    let at = page + 27 + segments
    let bytes = 0
    for (let i = 0; i < segments; i++) {
      const length = file[page + 27 + i] ?? 0
      bytes += length
      if (length === 255 && i < segments - 1) continue
      seconds += secondsOf(file, at, bytes)
      at += bytes
      bytes = 0
    }
  }
  return seconds
}
