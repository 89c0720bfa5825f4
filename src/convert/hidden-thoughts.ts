import type { Signature } from '#wire/tagged-reasoning-signatures.ts'

/** Collects the thoughts before the next signature, for a client that does not see thoughts. */
export class HiddenThoughts {
  #text = ''

  add(text: string): void {
    this.#text += text
  }

  /**
   * The chat wire has no signatures, and its servers recognize their reasoning by its text. If the client does not see
   * the text, the signature contains the text. Sealed details already contain the text.
   */
  signed(signature: Signature): Signature {
    const text = this.#text
    this.#text = ''
    return signature.wire === 'chat' && signature.kind === 'signature' && text !== ''
      ? { ...signature, data: text }
      : signature
  }
}
