/**
 * After so many deletions the map is made anew. A Map that is added to and deleted from is moved to a new
 * table time and again, and V8 leaves in each old table a pointer to the next: once one of them is in the
 * old generation, every table after it is kept until the next major collection, with the calls that were in
 * it. Under load that was 8 KB a call, promoted for nothing: a tenth of the CPU.
 */
const deletionsMax = 1024

/** A map of what comes and goes with every call. */
export class RenewedMap<T> {
  #map = new Map<string, T>()
  #deletions = 0

  get(name: string): T | undefined {
    return this.#map.get(name)
  }

  set(name: string, value: T): void {
    this.#map.set(name, value)
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
