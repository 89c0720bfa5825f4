import type { Signature } from '#wire/tagged-reasoning-signatures.ts'

/** Collects the thoughts before the next signature, for a client that does not see thoughts, or may not send them back. */
export class HiddenThoughts {
  #text = ''

  add(text: string): void {
    this.#text += text
  }

  /**
   * The chat wire has no signatures, and its servers recognize their reasoning by its text. The signature therefore
   * contains the text. Sealed details already contain the text.
   */
  signed(signature: Signature): Signature {
    const text = this.#text
    this.#text = ''
    return signature.wire === 'chat' && signature.kind === 'signature' && text !== ''
      ? { ...signature, data: text }
      : signature
  }
}
