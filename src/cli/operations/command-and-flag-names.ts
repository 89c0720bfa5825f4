/** Converts `onDemand` to `on-demand`, and `price.cacheRead` to `price.cache-read` as in `--price.cache-read`. */
export function typed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Returns the words after `tollgate` that call an operation, such as `keys mint`. */
export function wordsOf(id: string): string[] {
  return id.split('.').map(typed)
}
