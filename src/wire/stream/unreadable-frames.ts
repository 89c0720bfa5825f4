import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Frames of a stream that are cut JSON, as proxies on the way sometimes leave them. One that was cut before any words
 * can be left out, and the answer is still whole. After anything else that is no JSON, nothing can be trusted, and the
 * stream fails.
 */
export class UnreadableFrames {
  /** Frames that were left out. */
  dropped = 0

  /** True: the frame is left out. @param hasDelivered false: the call can still move on to another target */
  mayDrop(data: ByteText, hasDelivered: boolean): boolean {
    if (!hasDelivered || this.dropped === droppedMax || !isCut.test(data) || words.test(data)) return false
    this.dropped++
    return true
  }
}

/** More than a slip: the provider speaks another language. */
const droppedMax = 3

/** An object whose next name or value is missing. */
const isCut = /^\s*\{(?:[^]*[:,[{])?\s*$/

/** The beginning of a text, a thought, a call's arguments or data, on any wire. */
const words =
  /"(?:text|content|refusal|delta|thinking|reasoning\w*|arguments|partial_json|name|data|signature|thoughtSignature|encrypted_content|code|output)"\s*:\s*"[^"]/
