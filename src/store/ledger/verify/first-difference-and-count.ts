export class Differences {
  #first: string | null = null
  #count = 0

  add(difference: string): void {
    this.#first ??= difference
    this.#count += 1
  }

  /** Reads a stored text. If the text cannot be read, adds the reason and returns null, so that other rows are checked. */
  read<Value>(subject: string, read: () => Value): Value | null {
    try {
      return read()
    } catch (cause) {
      this.add(`${subject} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
      return null
    }
  }

  text(): string | null {
    return this.#count > 1 ? `${this.#first} (and ${this.#count - 1} more)` : this.#first
  }
}
