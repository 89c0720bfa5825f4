import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Decides about frames with incomplete JSON, which proxies sometimes leave in a stream. If such a frame contains no
 * model output, the answer is complete without the frame, so the frame can be omitted. Any other invalid JSON fails the
 * stream.
 */
export class UnreadableFrames {
  dropped = 0

  /** @param hasDelivered if false, no frame is omitted, because the request can still be sent to another target */
  mayDrop(data: ByteText, hasDelivered: boolean): boolean {
    if (!hasDelivered || this.dropped === droppedMax || !isCut.test(data) || words.test(data)) return false
    this.dropped++
    return true
  }
}

/** If more frames are unreadable, the provider probably uses another protocol. */
const droppedMax = 3

const isCut = /^\s*\{(?:[^]*[:,[{])?\s*$/

/** The beginning of a text, a thought, a call's arguments or data, on any wire. */
const words =
  /"(?:text|content|refusal|delta|thinking|reasoning\w*|arguments|partial_json|name|data|signature|thoughtSignature|encrypted_content|code|output)"\s*:\s*"[^"]/
