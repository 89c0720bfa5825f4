import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Frames of a stream that are no JSON, as proxies on the way sometimes leave them. One that carries no words can be
 * left out, and the answer is still whole; after one that may have, nothing can be trusted, and the stream fails.
 */
export class UnreadableFrames {
  /** Frames that were left out. */
  dropped = 0

  /** True: the frame is left out. @param hasDelivered false: the call can still move on to another target */
  mayDrop(data: ByteText, hasDelivered: boolean): boolean {
    if (!hasDelivered || this.dropped === droppedMax || words.test(data)) return false
    this.dropped++
    return true
  }
}

/** More than a slip: the provider speaks another language. */
const droppedMax = 3

/** The beginning of a text, a thought, a call's arguments or data, on any wire. */
const words =
  /"(?:text|content|refusal|delta|thinking|reasoning\w*|arguments|partial_json|name|data|signature|thoughtSignature|encrypted_content|code|output)"\s*:\s*"[^"]/
