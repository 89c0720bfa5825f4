import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Decides about frames with incomplete JSON, which proxies sometimes leave in a stream. A frame that was cut before any
 * model output can be omitted, and the answer is still complete. After any other invalid JSON, the rest cannot be
 * trusted and the stream fails.
 */
export class UnreadableFrames {
  /** Number of omitted frames. */
  dropped = 0

  /**
   * Returns true if the frame is omitted. @param hasDelivered if false, returns false, because the request can still be
   * sent to another target
   */
  mayDrop(data: ByteText, hasDelivered: boolean): boolean {
    if (!hasDelivered || this.dropped === droppedMax || !isCut.test(data) || words.test(data)) return false
    this.dropped++
    return true
  }
}

/** Maximum number of omitted frames. With more unreadable frames, the provider probably uses another protocol. */
const droppedMax = 3

/** An object whose next name or value is missing. */
const isCut = /^\s*\{(?:[^]*[:,[{])?\s*$/

/** The beginning of a text, a thought, a call's arguments or data, on any wire. */
const words =
  /"(?:text|content|refusal|delta|thinking|reasoning\w*|arguments|partial_json|name|data|signature|thoughtSignature|encrypted_content|code|output)"\s*:\s*"[^"]/
