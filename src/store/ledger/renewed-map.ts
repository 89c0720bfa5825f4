/**
 * After so many deletions the map is made anew. V8 moves a Map with many additions and deletions to a new
 * table again and again, and leaves in each old table a pointer to the next: once one of them is in the old
 * generation, every later table is kept until the next major collection, with the calls in it. Under load
 * that was 8 KB a call, promoted for nothing: a tenth of the CPU.
 */
const deletionsMax = 1024

/** A map whose entries come and go with every call. */
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
