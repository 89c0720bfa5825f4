import type { SoundTokens } from '#wire/media-token-types.ts'
import { contextTokensMax } from './assumed-token-maxima.ts'
import { decodedMedia } from './decode-base64-media.ts'
import { soundFormat, soundSeconds, type SoundFormat } from './sound-length.ts'

/**
 * Adds up the maximum tokens of all sounds of a request (docs/reference/tokens.md "Sound"). A sound is counted by its
 * seconds, or by its bytes if its length is not known.
 */
export class SoundBounds {
  #tokens = 0
  #estimate = 0
  #pieceTokens = 0
  #openaiTokens = 0
  #bytesLeft = examinedBytesMax

  /** @param type media type or format that the request states; null if it states none */
  add(data: () => string, bytes: number, type: string | null): void {
    const seconds = this.#seconds(data, bytes, type)
    this.#tokens += Math.ceil(seconds === null ? bytes : seconds * soundTokensPerSecond) + tokensPerSound
    this.#pieceTokens += tokensPerSound + tokensInPieces(seconds, bytes)
    this.#openaiTokens +=
      tokensPerSound + Math.ceil(seconds === null ? bytes : seconds * openaiTokensPerSecond)
    this.#estimate += Math.ceil(
      seconds === null ? bytes / usualBytesPerToken : seconds * soundTokensPerSecond,
    )
  }

  total(): number {
    return Math.min(this.#tokens, contextTokensMax)
  }

  /**
   * Returns the maximum tokens at vendors with other rules. Voxtral reads each sound in pieces of 30 seconds, the last
   * of which is filled with silence.
   */
  totalsOfVendors(): Required<SoundTokens> {
    return {
      soundPieceTokensMax: Math.min(this.#pieceTokens, contextTokensMax),
      openaiSoundTokensMax: Math.min(this.#openaiTokens, contextTokensMax),
    }
  }

  estimate(): number {
    return Math.min(this.#estimate, contextTokensMax)
  }

  #seconds(data: () => string, bytes: number, type: string | null): number | null {
    const isWhole = bytes <= this.#bytesLeft
    if (isWhole) this.#bytesLeft -= bytes
    // The head of a WAV file states the length, whereas other formats need the whole file.
    const file = decodedMedia(data(), isWhole ? Infinity : headCharacters)
    const format = file && soundFormat(file)
    if (!file || !format || (!isWhole && format !== 'wav')) return null
    // A decoder that relies on the stated format may find other frames in the data than a decoder that detects the
    // format.
    return type === null || isNamed(format, type) ? soundSeconds(file, format, bytes) : null
  }
}

/** The last piece counts in full, because silence may fill the piece. */
function tokensInPieces(seconds: number | null, bytes: number): number {
  return seconds === null ? bytes + tokensPerPiece : Math.ceil(seconds / 30) * tokensPerPiece
}

/** Voxtral's tokens for a piece of 30 seconds (docs/reference/tokens.md "Sound"). */
const tokensPerPiece = 375

export function isNamed(format: SoundFormat, type: string): boolean {
  return names[format].test(type)
}

const names: Readonly<Record<SoundFormat, RegExp>> = {
  wav: /^(?:audio\/)?(?:x-|vnd\.)?wave?\b/i,
  mp3: /^(?:audio\/)?(?:x-)?(?:mp3|mpeg|mpga)\b/i,
  aac: /^(?:audio\/)?(?:x-)?aacp?\b/i,
  flac: /^(?:audio\/)?(?:x-)?flac\b/i,
  mp4: /^(?:audio\/)?(?:x-)?m(?:p4|4a|4b)\b/i,
  webm: /^(?:audio\/)?webm\b/i,
  ogg: /^(?:audio\/)?(?:x-)?(?:og[ga]|opus|vorbis)\b/i,
}

/** The frames of a larger sound are not searched, because the search takes 2 ms per megabyte, or 20 ms at worst. */
const examinedBytesMax = 4 * 1024 * 1024
const headCharacters = 4_096
/** Google counts 32 tokens per second of sound, and all other vendors count fewer. */
export const soundTokensPerSecond = 32
/** OpenAI counts a token for each 100 ms (docs/reference/tokens.md "Sound"). */
const openaiTokensPerSecond = 10
/** Maximum tokens that a provider adds around a sound. */
const tokensPerSound = 16
/** Speech is intelligible at 4 kbit/s, which is 500 bytes for 32 tokens. */
const usualBytesPerToken = 16
