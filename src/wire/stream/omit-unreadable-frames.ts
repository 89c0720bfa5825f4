import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Decides about frames with incomplete JSON, which proxies sometimes leave in a stream. If the incomplete frame
 * contains no model output, the frame can be omitted, and the answer is still complete. After a frame with any other
 * invalid JSON, the gateway cannot rely on the rest of the stream, so the stream fails.
 */
export class UnreadableFrames {
  /** Number of omitted frames. */
  dropped = 0

  /**
   * Returns true if the frame is omitted.
   * @param hasDelivered if false, returns false, because the request can still be sent to another target
   */
  mayDrop(data: ByteText, hasDelivered: boolean): boolean {
    if (!hasDelivered || this.dropped === droppedMax || !isCut.test(data) || words.test(data)) return false
    this.dropped++
    return true
  }
}

/** Maximum number of omitted frames. If more frames are unreadable, the provider probably uses another protocol. */
const droppedMax = 3

/** Matches an object that was cut off before a name or a value. */
const isCut = /^\s*\{(?:[^]*[:,[{])?\s*$/

/** Matches the beginning of a text, a thought, a call's arguments or data, on any wire. */
const words =
  /"(?:text|content|refusal|delta|thinking|reasoning\w*|arguments|partial_json|name|data|signature|thoughtSignature|encrypted_content|code|output)"\s*:\s*"[^"]/
