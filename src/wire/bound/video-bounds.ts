import type { VideoTokens } from '#wire/media-token-types.ts'
import { contextTokensMax } from './assumed-token-maxima.ts'
import { decodedMedia } from './decode-base64-media.ts'
import { soundTokensPerSecond } from './sound-bounds.ts'
import { videoFormat, videoSeconds, type VideoFormat } from './video-length.ts'

export interface FrameRule {
  readonly framesPerSecond: number
  readonly tokensPerFrame: number
}

/** At Google, a frame has 66 to 280 tokens, and its timestamp has at most 20 tokens. */
export const googleFrames: FrameRule = { framesPerSecond: 1, tokensPerFrame: 300 }

/** For Gemini 3 and later, a frame has at most 70 tokens in the default resolution, and a timestamp at most 10. */
const tokensPerFrameOfGemini3 = 80

/** At Bedrock, frames of 1280x720 were recorded with 885 tokens (docs/reference/tokens.md "Video"). */
export const bedrockFrames: FrameRule = { framesPerSecond: 1, tokensPerFrame: 1_024 }

/**
 * Adds up the maximum tokens of the videos of a request, by their frames and their sound
 * (docs/reference/tokens.md "Video").
 */
export class VideoBounds {
  #frames = 0
  #frameTokens = 0
  #seconds = 0

  /**
   * @param data base64 or a data URL
   * @returns false if the length of the video is not known
   */
  add(data: string, type: string, { framesPerSecond, tokensPerFrame }: FrameRule): boolean {
    const file = decodedMedia(data)
    const format = file && videoFormat(file)
    // If the data is not in the stated format, a decoder of the stated format may find other frames.
    if (!file || !format || !names[format].test(type)) return false
    const seconds = videoSeconds(file, format)
    if (seconds === null) return false
    const frames = Math.ceil(seconds * framesPerSecond) + 1
    this.#frames += frames
    this.#frameTokens += frames * tokensPerFrame
    this.#seconds += Math.ceil(seconds) + 1
    return true
  }

  frameTokens(): number {
    return Math.min(this.#frameTokens, contextTokensMax)
  }

  /**
   * Returns how many more tokens the frames have at Bedrock, and how many fewer at Gemini 3 and later.
   * @param isLarge whether the request may raise the resolution at Google
   */
  differences(isLarge: boolean): Required<VideoTokens> {
    const usual = this.frameTokens()
    const atBedrock = Math.min(this.#frames * bedrockFrames.tokensPerFrame, contextTokensMax)
    const atGemini3 = isLarge ? usual : this.#frames * tokensPerFrameOfGemini3
    return {
      bedrockVideoExcess: Math.max(0, atBedrock - usual),
      gemini3VideoSaved: Math.max(0, usual - atGemini3),
    }
  }

  /** A vendor may bill these tokens at the rate of audio. */
  soundTokens(): number {
    return Math.min(this.#seconds * soundTokensPerSecond, contextTokensMax)
  }

  estimate(): number {
    return Math.min(this.#frames * usualTokensPerFrame, contextTokensMax) + this.soundTokens()
  }
}

const names: Readonly<Record<VideoFormat, RegExp>> = {
  mp4: /^video\/(?:x-)?(?:mp4|m4v|quicktime|mov|3gpp2?)$/,
  webm: /^video\/webm$/,
}

const usualTokensPerFrame = 265
