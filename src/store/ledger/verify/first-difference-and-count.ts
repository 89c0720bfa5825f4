export class Differences {
  #first: string | null = null
  #count = 0

  add(difference: string): void {
    this.#first ??= difference
    this.#count += 1
  }

  text(): string | null {
    return this.#count > 1 ? `${this.#first} (and ${this.#count - 1} more)` : this.#first
  }
}
