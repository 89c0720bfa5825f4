/**
 * The map is replaced after this number of deletions. V8 moves a Map with many additions and deletions to a new table
 * again and again. Each old table keeps a pointer to the next one. When one of them is in the old generation, every
 * later table, with its calls, is kept until the next major collection. Under load that cost 8 KB per call and a tenth
 * of the CPU.
 */
const deletionsMax = 1024

/** A map whose entries are added and deleted with every call. */
export class RenewedMap<T> {
  #map = new Map<string, T>()
  #deletions = 0

  get(name: string): T | undefined {
    return this.#map.get(name)
  }

  set(name: string, value: T): void {
    this.#map.set(name, value)
  }

  get size(): number {
    return this.#map.size
  }

  values(): Iterable<T> {
    return this.#map.values()
  }

  delete(name: string): void {
    if (!this.#map.delete(name) || ++this.#deletions < deletionsMax) return
    this.#deletions = 0
    this.#map = new Map(this.#map)
  }
}
